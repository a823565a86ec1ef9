// What every client is led through.  CLIENT has, whatever it is built on:
//   tools(), call(name, args, {signal}) -> the result of tools/call, prompts(), prompt(name), resources(), read(uri),
//   complete(uri, argument, value), close()
import assert from 'node:assert/strict';

import { CONTROLLER_TOOLS, HELD, HELD_ANSWERS, KIND, pause } from './keyhole.mjs';

/** What a tool said; that it was no error. */
export function said(result) {
  assert.ok(!result.isError, `an error: ${JSON.stringify(result.content)}`);
  // Clients that do not read structuredContent have the same as text.
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

/** Goes on waiting for what CALL asked, for as long as it takes: the result that is none of OPEN any more. */
export async function answered(client, call, open = ['waiting']) {
  for (let result = await call; ;) {
    const now = said(result);
    if (!open.includes(now.outcome)) return result;
    result = await client.call('approval_wait', { id: now.approval ?? now.query });
  }
}

async function outcome(client, query, open) {
  return said(await answered(client, client.call('BCPQuery', query), open));
}

/** I1: the tools of its role and no other, each with all that a model and a program need. */
export async function tools(client) {
  const list = await client.tools();
  assert.deepEqual(list.map((tool) => tool.name), CONTROLLER_TOOLS);
  for (const tool of list) {
    assert.equal(tool.inputSchema.type, 'object');
    assert.equal(tool.outputSchema.type, 'object');
    assert.ok(tool.description.length > 200, tool.name);
    assert.equal(typeof tool.annotations.readOnlyHint, 'boolean');
  }
}

/** A task with a mail in it that another process has put there. */
export async function open(client, home) {
  const { task, phase, readers } = said(await client.call('task_open', { title: 'read my mail' }));
  assert.equal(phase, 'planning');
  assert.ok(readers.includes('extract'));
  const block = await home.put(task);
  const { blocks, count } = said(await client.call('blocks', { task }));
  assert.equal(count, 1);
  assert.deepEqual(blocks, [{ id: block, kind: 'sealed' }]); // E12: nothing of where it came from
  return { task, block };
}

/** B18, B23, K10: a query answered by `extract`: the values, their labels, and that they are not to be obeyed. */
export async function delivered(client, { task, block }) {
  const result = await answered(client, client.call('BCPQuery', { ...KIND, task }));
  const { outcome: word, delivery, notice } = said(result);
  assert.equal(word, 'delivered');
  assert.deepEqual(delivery.response, { fields: { urgent: true, topic: 'meeting' } });
  assert.match(notice, /Untrusted data/);
  const labels = result._meta['keyhole/labels'];
  assert.equal(labels.trust, 'untrusted');
  assert.equal(labels.taint, 'medium');
  assert.deepEqual(labels.sources, [block]);
  const { tasks } = said(await client.call('task_status', { task }));
  assert.equal(tasks[0].taint, 'medium');
  assert.ok(tasks[0].budget.remaining < tasks[0].budget.bits);
}

/** A5, B13: a held answer that a second process approves while the call waits. */
export async function held(client, home, { task }) {
  const [now] = await Promise.all([outcome(client, { ...HELD, task }, ['waiting', 'pending']), home.decide(task)]);
  assert.equal(now.outcome, 'delivered');
  assert.deepEqual(now.delivery.response.answers, HELD_ANSWERS);
}

/** A5: nobody decides in time: `pending`, and the same approval resumed, here after it was rejected. */
export async function pending(client, home, { task }) {
  const first = await outcome(client, { ...HELD, task }, ['waiting']);
  assert.equal(first.outcome, 'pending');
  assert.match(first.next, /approval_wait/);
  assert.equal(first.delivery, undefined);
  assert.equal(await home.decide(task, 'reject'), first.approval);
  let second = first;
  while (second.outcome === 'pending') second = said(await client.call('approval_wait', { id: first.approval }));
  assert.equal(second.outcome, 'rejected');
  assert.equal(second.delivery, undefined);
}

/**
 * A4: the one who sits before the client is told which approval waits and where it is decided, and decides nothing by
 * what he answers.  TOLD: what the client's user was shown, filled in by CLIENT while it asks.
 */
export async function elicited(client, home, { task }, told) {
  const first = await outcome(client, { ...HELD, task }, ['waiting']);
  assert.equal(first.outcome, 'pending', 'an answer to the elicitation has decided something');
  assert.equal(told.length, 1);
  assert.match(JSON.stringify(told[0]), new RegExp(first.approval));
  for (const { answer } of HELD_ANSWERS) assert.ok(!JSON.stringify(told[0]).toLowerCase().includes(answer));
  await home.decide(task);
  let second = first;
  while (second.outcome === 'pending') second = said(await client.call('approval_wait', { id: first.approval }));
  assert.equal(second.outcome, 'delivered');
  assert.equal(told.length, 1); // once for an approval
}

/** A call that is cancelled ends for the client, and what was admitted goes on. */
export async function cancelled(client, home, { task }) {
  const abort = new AbortController();
  const call = client.call('BCPQuery', { ...HELD, task }, { signal: abort.signal });
  const failed = assert.rejects(call);
  await pause(500);
  abort.abort();
  await failed;
  await home.decide(task);
  const { tasks } = said(await client.call('task_status', { task }));
  assert.equal(tasks[0].state, 'open');
}

/** Errors that a model can read and act on: a code, the member, and what to do next. */
export async function errors(client, { task }) {
  const unknown = await client.call('BCPQuery', { ...KIND, task: 't0000000000000000' });
  assert.equal(unknown.isError, true);
  assert.match(unknown.content[0].text, /task_open/);
  assert.equal(unknown._meta['keyhole/error'].code, 'unknown_task');
  const bad = await client.call('BCPQuery', { ...KIND, task, fields: [{ name: 'n', type: 'integer', min: 2, max: 1 }] });
  assert.equal(bad.isError, true);
  assert.match(bad.content[0].text, /fields\[0\]\.max/);
  // B6: a budget is an outcome.
  const small = said(await client.call('task_open', { bits: 1 }));
  assert.equal(small.bits, 1);
}

/** Nobody sees another role's tools, and calling one by its name is no way in. */
export async function wrongRole(client) {
  for (const name of ['BCPNext', 'BCPRespond', 'verification_decide', 'approvals'])
    await assert.rejects(client.call(name, {}), (error) => error.code === -32602, name);
}

/** K4 and the resources: prompts of the role, the policy, tasks, ids of blocks. */
export async function around(client, { task, block }) {
  assert.deepEqual((await client.prompts()).map((prompt) => prompt.name), ['controller', 'security-policy']);
  const { messages } = await client.prompt('controller');
  assert.match(messages[0].content.text, /You are a Controller/);
  await assert.rejects(client.prompt('reader'), (error) => error.code === -32602);
  const uris = (await client.resources()).map((resource) => resource.uri);
  assert.ok(uris.includes('keyhole://policy') && uris.includes(`keyhole://tasks/${task}`), uris.join(' '));
  const policy = JSON.parse((await client.read('keyhole://policy')).contents[0].text);
  assert.equal(policy.policy.release, 'slots');
  const blocks = JSON.parse((await client.read(`keyhole://tasks/${task}/blocks`)).contents[0].text);
  assert.ok(blocks.blocks.some((one) => one.id === block));
  await assert.rejects(client.read('keyhole://tasks/t0000000000000000'), (error) => error.code === client.missing);
  const { completion } = await client.complete('keyhole://tasks/{id}', 'id', task.slice(0, 4));
  assert.ok(completion.values.includes(task));
}

/** All of it, as subtests of T. */
export async function whole(t, client, home) {
  let at;
  await t.test('tools', () => tools(client));
  await t.test('a task with content from another process', async () => { at = await open(client, home); });
  await t.test('a query is delivered', () => delivered(client, at));
  await t.test('a held answer is approved by a second process', () => held(client, home, at));
  await t.test('pending, and resumed', () => pending(client, home, at));
  await t.test('cancelled', () => cancelled(client, home, at));
  await t.test('errors', () => errors(client, at));
  await t.test('wrong role', () => wrongRole(client));
  await t.test('prompts, resources, completion', () => around(client, at));
}
