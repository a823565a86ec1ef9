"""The tables of docs/use/SANDBOX.md and docs/reference/PROCESSES.md, made from those of the sources: system calls, limits,
paths, addresses, faults; and the names of parts.

tables() gives the text that belongs between the marks <!-- NAME --> and <!-- /NAME -->; tools/check-docs compares, and with
--write puts it there.
"""

import ipaddress
import re

from csource import blank, calls, read

# Letters of the table in calls.c -> what the document calls the kind.
KINDS = {"P": "Profile `run`", "N": "A program of profile `run` that has network by name, or of profile `server`,", "W": "A worker of ours, as it starts", "D": "Workers `resolve` and `sni`, from their job on",
         "H": "Worker `http`, from its job on", "F": "Worker `read`, from its job on", "T": "Worker `text`, from its job on",
         "Q": "Worker `query`, from its job on", "S": "Worker `search`, from its job on",
         "I": "A sandbox's first process, while the program runs",
         "X": "A forwarder",
         "G": "A gateway after self-lockdown, and `keyhole sandbox` itself"}


def kind_letters(text):
    """Name -> set of letters, of the enum of calls.c: R, NET, ANY, ..."""
    body = re.search(r"^enum \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL).group(1)
    letters = {}
    for name, value in re.findall(r"^\t(\w+) = ([^,]+),", blank(body), re.MULTILINE):
        value = value.strip()
        letters[name] = {name} if "<<" in value else set().union(*(letters[part.strip()] for part in value.split("|")))
    return letters


# Calls that readers of such a list look for first.
NOTABLE = """ptrace process_vm_readv process_vm_writev mount umount2 move_mount open_tree fsopen fsmount mount_setattr pivot_root
chroot setns unshare bpf perf_event_open userfaultfd init_module finit_module delete_module kexec_load kexec_file_load reboot
swapon swapoff quotactl acct fanotify_init fanotify_mark open_by_handle_at pidfd_getfd process_mrelease iopl ioperm
vhangup nfsservctl uselib ustat sysfs _sysctl lookup_dcookie""".split()


def entries_of(text):
    """(letters, name, condition or None, errno or None) of the table of calls.c."""
    letters = kind_letters(text)
    table = re.search(r"^static const struct kh_syscall calls\[\] = \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL).group(1)

    def kinds(expression):
        return set().union(*(letters[part.strip()] for part in expression.split("|")))

    def words(expression):
        """A string literal, or several with macros between them."""
        parts = re.findall(r'"((?:[^"\\\\]|\\\\.)*)"|(\w+)', expression)
        return "".join(literal if not macro else words(re.search(
            r"^#define " + macro + r"\s+(.*)$", text, re.MULTILINE).group(1)) for literal, macro in parts)

    entries = []
    for name, where in (("OK", 1), ("NO", 2), ("NEW", 2), ("IF", 3)):
        for _, arguments in calls(table, name):
            if name == "OK":
                entries.append((kinds(arguments[where]), arguments[0].strip('"'), None, None))
            elif name == "IF":
                error = None if arguments[2] == "0" else arguments[2]
                entries.append((kinds(arguments[where]), arguments[1].strip('"'), words(arguments[4]), error))
            else:
                error = "ENOSYS" if name == "NEW" else arguments[1]
                entries.append((kinds(arguments[where]), arguments[0].strip('"'), None, error))
    return entries


def differing(entries, title):
    """What a program with network has in place of the calls of the list before."""
    own = sorted((name, condition, error) for who, name, condition, error in entries if "N" in who and "P" not in who)
    return "**{}** has the same, except: {}.".format(title, ", ".join(
        "`{}` ({}; else {})".format(name, condition, error) if condition else "`{}`".format(name)
        for name, condition, error in own))


def filters():
    entries, lines = entries_of(read("src/sandbox/calls.c")), []
    for letter, title in KINDS.items():
        if letter == "N":
            lines += differing(entries, title), ""
            continue
        own = sorted((name, condition or "", error or "") for who, name, condition, error in entries if letter in who)
        allowed = [name for name, condition, error in own if not condition and not error]
        refused = {}
        for name, condition, error in own:
            if error and not condition:
                refused.setdefault(error, []).append(name)
        lines += ["**{}** has {} calls:".format(title, len(allowed) + sum(1 for entry in own if entry[1])),
                  " ".join("`{}`".format(name) for name in allowed) + "."]
        partly = ["`{}` ({}; else {})".format(name, condition, error if error else "killed")
                  for name, condition, error in own if condition]
        if partly:
            lines.append("With certain arguments only: " + ", ".join(partly) + ".")
        if refused:
            lines.append("Answered with an error: " + "; ".join(
                "{}: {}".format(error, " ".join("`{}`".format(name) for name in names))
                for error, names in sorted(refused.items())) + ".")
        lines.append("")
    return "\n".join(wrap(line) for line in lines).rstrip("\n") + "\n"


def never():
    known = {name for _, name, _, _ in entries_of(read("src/sandbox/calls.c"))}
    return wrap(" ".join("`{}`".format(name) for name in NOTABLE if name not in known) + ".") + "\n"


def wrap(line, width=100):
    out, column = "", 0
    for word in line.split(" "):
        if column and column + 1 + len(word) > width:
            out, column = out + "\n", 0
        elif column:
            out, column = out + " ", column + 1
        out, column = out + word, column + len(word)
    return out


UNITS = {"KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30, "TIB": 1 << 40, "DAY_S": 86400, "DAY": 86400000}


def number(expression):
    value = re.sub(r"(\d)U?L*\b", r"\1", expression)
    return eval(value, {"__builtins__": {}}, UNITS)  # pylint: disable=eval-used


def size(value):
    for unit, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if value >= factor and value % factor == 0:
            return "{} {}".format(value // factor, unit)
    return str(value)


LIMITS = (("wall_ms", "wall clock", lambda v: "{:g} s".format(v / 1000), "`--time`, `--timeout`"),
          ("cpu_s", "processor time of one process", "{} s".format, ""),
          ("memory", "memory", size, "`--memory`"),
          ("processes", "processes and threads", str, "`--processes`"),
          ("files", "open descriptors of one process", str, "`--files`"),
          ("disk", "private /tmp", size, "`--disk`"),
          ("output", "output, or decoded body", size, "`--output`, `--max-bytes`"))


def profile_entries():
    """name -> (whether it has /proc, its limits, the text of its paths); and the text of the largest limits."""
    text = blank(read("src/wire/profile.c"), strings=False)
    shared = dict(re.findall(r"#define (\w+) ([^\n\\]*(?:\\\n[^\n\\]*)*)", text))
    lists = {name: re.sub(r"\b([A-Z]{4,})\b", lambda match: shared.get(match.group(1), match.group(1)), paths)
             for name, paths in re.findall(r"static const char \*const (\w+)\[\] = \{(.*?)\};", text, re.DOTALL)}
    rows = dict(re.findall(r"\[(KH_PROFILE_\w+)\]\s*=\s*\{([^{}]*)\},", text[text.index("struct kh_limits limits["):]))
    keys = [key for key, _, _, _ in LIMITS]
    found = {}
    for profile, name, _, proc, _, paths in re.findall(
            r'\[(KH_PROFILE_\w+)\]\s*=\s*\{"(\w+)",\s*(\w+),\s*(true|false),\s*(true|false),\s*(\w+)\}', text):
        values = dict(zip(keys, (number(value) for value in rows[profile].split(","))))
        found[name] = (proc, values, lists[paths])
    most = re.search(r"kh_profile_most = \{(.*?)\};", text, re.DOTALL).group(1)
    return found, most


def fields(text):
    return {name: number(value) for name, value in re.findall(r"\.(\w+) = ([^,}\n]+)", text)}


def limits():
    profiles, most = profile_entries()
    columns = [entry[1] for entry in profiles.values()] + [fields(most)]
    rows = ["| limit | " + " | ".join("`{}`".format(name) for name in profiles) + " | most | option |",
            "|---|" + "---|" * (len(columns) + 1)]
    for key, title, show, option in LIMITS:
        rows.append("| {} | {} | {} |".format(title, " | ".join(show(column[key]) if column[key] else "none" for column in columns), option or "-"))
    return "\n".join(rows) + "\n"


def defaults():
    """Option -> its default, as the manual page writes it."""
    run, http = (profile_entries()[0][name][1] for name in ("run", "http"))

    def short(value):
        return size(value).replace(" ", "").replace("iB", "")

    return {"time": str(run["wall_ms"] // 1000), "memory": short(run["memory"]), "processes": str(run["processes"]), "files": str(run["files"]),
            "disk": short(run["disk"]), "output": short(run["output"]), "timeout": str(http["wall_ms"] // 1000),
            "max-bytes": short(http["output"])}


def paths():
    profiles, _ = profile_entries()
    rows = ["| profile | of the host, read-only | /proc |", "|---|---|---|"]
    for name, (proc, _, text) in profiles.items():
        rows.append("| `{}` | {} | {} |".format(name, " ".join("`{}`".format(path) for path in re.findall(r'"([^"]+)"', text)) or "nothing",
                                                "its own" if proc == "true" else "none"))
    return "\n".join(rows) + "\n"


def address_bytes(text, length):
    values, at = [0] * length, 0
    for place, value in re.findall(r"(?:\[(\d+)\] = )?(0x[0-9a-f]+|\d+)", text):
        at = int(place) if place else at
        values[at] = int(value, 0)
        at += 1
    return bytes(values)


def addresses():
    text = blank(read("src/wire/address.c"), strings=False)
    rows = ["| range | refused as |", "|---|---|"]
    for family, length in (("ipv4", 4), ("ipv6", 16)):
        table = re.search(r"static const struct range " + family + r"\[\] = \{\n(.*?)^\};", text, re.MULTILINE | re.DOTALL)
        for name, data, rest in re.findall(r'\{(NULL|"[^"]+"), \{([^}]*)\}, ([^}]*)\}', table.group(1)):
            options = dict(re.findall(r"\.(\w+) = (\w+)", rest))
            raw, start = address_bytes(data, length), int(options.get("from", 0))
            if start:
                shown = "any prefix, then `{}`".format(raw[:4].hex(":", 2))
            else:
                kind = ipaddress.IPv4Network if length == 4 else ipaddress.IPv6Network
                shown = "`{}`".format(kind((raw, int(options["bits"]))))
            words = [] if name == "NULL" else [name.strip('"')]
            if options.get("inside"):
                words.insert(0, "what the IPv4 address in it{} is refused as".format(
                    ", inverted," if options.get("is_inverted") else ""))
            rows.append("| {} | {} |".format(shown, ", else ".join(words)))
    return "\n".join(rows) + "\n"


def word_table(source, header):
    rows = [header, "|---|---|"]
    for name, about in re.findall(r'\[KH_\w+\] =\s*\{"([^"]+)",\s*"([^"]+)"\}', read(source)):
        rows.append("| `{}` | {} |".format(name, about))
    return "\n".join(rows) + "\n"


def tables():
    return {"calls": filters(), "never": never(), "limits": limits(), "paths": paths(), "addresses": addresses(),
            "faults": word_table("src/wire/fault.c", "| fault | means |")}


def parts():
    """The names of a sandbox's parts, in their order."""
    return re.findall(r'\[KH_(?!PART_NONE)\w+\] = "([^"]+)"', read("src/wire/part.c"))
