#!/usr/bin/env python3
"""Clients of Python for tests/system/real_servers: asks URL three times.  Writes what came, or why nothing did.

    python3 client.py urllib|requests URL
"""
import json
import sys
import time


def over_urllib(url):
    import urllib.request  # pylint: disable=import-outside-toplevel
    return lambda: urllib.request.urlopen(url, timeout=20).read()


def over_requests(url):
    import requests  # pylint: disable=import-outside-toplevel
    session = requests.Session()
    return lambda: session.get(url, timeout=20).content


def main():
    kind, url = sys.argv[1:]
    ask = {"urllib": over_urllib, "requests": over_requests}[kind](url)
    begun = time.monotonic()
    try:
        said = {"answers": [json.loads(ask()) for _ in range(3)]}
    except OSError as why:  # of urllib and of requests, all of them
        said = {"error": str(why), "ms": 1000 * (time.monotonic() - begun)}
    print(json.dumps(said))


main()
