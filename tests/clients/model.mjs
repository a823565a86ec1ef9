// A model endpoint on loopback that answers by a script: what of the Responses API an agent needs for one turn.
//
// SCRIPT is a function that is called when the agent asks, with the outputs of all tool calls so far, and returns
// { name, arguments } to call a tool, or a text that ends the turn.
import { createServer } from 'node:http';

export class Model {
  constructor(namespace, script) {
    this.namespace = namespace;
    this.script = script;
    this.asked = 0;
    this.faults = [];
    this.tools = []; // names of the namespace that the agent offered
    this.bodies = []; // what the agent sent: all that it had got to see
  }

  async listen() {
    this.server = createServer((request, response) => {
      const pieces = [];
      request.on('data', (piece) => pieces.push(piece));
      request.on('end', () => this.answer(request, Buffer.concat(pieces).toString(), response));
    });
    await new Promise((done) => this.server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  async answer(request, text, response) {
    if (request.method !== 'POST' || !request.url.endsWith('/responses')) {
      response.writeHead(404).end();
      return;
    }
    this.bodies.push(text);
    const body = JSON.parse(text), outputs = body.input.filter((item) => item.type === 'function_call_output');
    this.tools = (body.tools.find((tool) => tool.name === this.namespace)?.tools ?? []).map((tool) => tool.name);
    let step;
    try {
      this.asked++;
      step = await this.script(outputs.map(plain));
    } catch (fault) {
      this.faults.push(fault);
      step = 'The script has ended with a fault.';
    }
    stream(response, this.asked, typeof step === 'string' ? message(this.asked, step)
      : { type: 'function_call', id: `fc_${this.asked}`, call_id: `call_${this.asked}`, namespace: this.namespace,
        name: step.name, arguments: JSON.stringify(step.arguments) });
  }

  async close() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

function message(n, text) {
  return { type: 'message', id: `msg_${n}`, role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
}

/** The text of a tool's output, however it is wrapped. */
function plain(item) {
  return typeof item.output === 'string' ? item.output : item.output.map((part) => part.text ?? '').join('\n');
}

function stream(response, n, item) {
  const send = (type, more) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`);
  const id = `resp_${n}`, tokens = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  send('response.created', { response: { id } });
  send('response.output_item.done', { output_index: 0, item });
  send('response.completed', { response: { id, usage: { ...tokens, input_tokens_details: null, output_tokens_details: null } } });
  response.end();
}
