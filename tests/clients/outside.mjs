// The way out into the world and back (E1-E6, E12, K6, K7, A5), as every client is led through it: a need is declared,
// approved by a second process, fetched, asked about; what the page wants done is held, and verified by a supervisor
// that is an agent, and by a human.  CLIENT is as in journey.mjs.
import assert from 'node:assert/strict';

import { answered, said } from './journey.mjs';
import { REFERENCE } from './site.mjs';

const REASON = 'The user asked what the pump costs and until when.';
const OFFER = { category: 2, target: 'extract', need: 'offer', justification: 'The answer to the user needs these three.',
  questions: [
    { id: 'price', question: 'What is the price?', max_words: 2, expected_format: 'amount' },
    { id: 'until', question: 'Until which date is the offer valid?', max_words: 3, expected_format: 'date' },
    { id: 'reference', question: 'What is the reference for orders?', max_words: 1, expected_format: 'identifier' }] };

/** A refusal that a model can read: its code. */
function refused(result) {
  assert.equal(result.isError, true, JSON.stringify(result));
  return result._meta['keyhole/error'].code;
}

/** Goes on waiting for as long as a human or a supervisor takes: how it ended. */
async function ended(client, now) {
  while (['pending', 'running'].includes(now.outcome))
    now = said(await client.call('approval_wait', { id: now.approval ?? now.declaration }));
  return now;
}

/** E1, E3: said while it plans; nothing runs, and what a human must see is asked for at once. */
async function declared(client, home) {
  const { task } = said(await client.call('task_open', { title: 'price of a pump' }));
  const url = home.site.url('/offer'), before = home.site.requests.length;
  const { declarations } = said(await client.call('declare', { task, operation: 'comm.fetch', parameters: { url },
    justification: { user_request: 'What does the pump cost, and until when?', missing_knowledge: 'The price of today and its end.',
      expected_use: 'Price and date go into the answer.' } }));
  assert.equal(declarations.length, 1);
  const [{ declaration, ruling, approval, operation }] = declarations;
  assert.equal(operation, 'comm.fetch');
  assert.equal(ruling, 'ask');
  assert.match(approval, /^a[0-9a-f]{16}$/);
  assert.equal(home.site.requests.length, before, 'something was fetched by saying that it is needed');
  return { task, url, declaration, approval };
}

/** E3: what is vague, unknown or not allowed is refused there and then, and nothing runs. */
async function notDeclared(client, home, { task }) {
  const before = home.site.requests.length;
  for (const [change, code] of [
    [{ reason: 'need it' }, 'too_short'],
    [{ parameters: { url: 'http://example.com/' } }, 'bad_url'],
    [{ operation: 'comm.Fetch' }, 'operation_malformed'],
    [{ operation: 'internal.fetch' }, 'operation_unknown'],
    [{ parameters: {} }, 'missing'],
    [{ phase: 'planning' }, 'OUTBOUND_FORBIDDEN_IN_PLANNING'],
    [{ session_id: `${task}0` }, 'session_mismatch'],
  ]) {
    const result = await client.call('declare', { task, operation: 'comm.fetch', parameters: { url: home.site.url('/offer') },
      reason: REASON, ...change });
    assert.equal(refused(result), code, JSON.stringify(change));
  }
  assert.equal(home.site.requests.length, before);
}

/** A5, E1, E6, E12: approved by a second process, run in the execution phase; what comes back is an id. */
async function fetched(client, home, at) {
  const { task, url, declaration } = at;
  const shown = await home.shown(at.approval);
  assert.ok(shown.includes(url), 'the reviewer does not see where it goes');
  await home.decide(task);
  assert.equal(refused(await client.call('comm_fetch', { task, declaration })), 'OUTBOUND_FORBIDDEN_IN_PLANNING');
  assert.equal(home.site.asked('/offer'), at.fetches, 'something was fetched while planning');
  const begun = said(await client.call('begin_execution', { task, plan: 'Fetch the offer, ask for price and date, answer.',
    required_operations: [{ operation: 'comm.fetch', parameters: { url } }] }));
  assert.equal(begun.outcome, 'execution');
  const now = await ended(client, said(await client.call('comm_fetch', { task, declaration })));
  assert.equal(now.outcome, 'ok');
  assert.deepEqual(now.parameters, { url });
  assert.deepEqual(Object.keys(now).sort(), ['block', 'declaration', 'next', 'operation', 'outcome', 'parameters']);
  assert.equal(home.site.asked('/offer'), at.fetches + 1);
  const { blocks } = said(await client.call('blocks', { task }));
  assert.deepEqual(blocks, [{ id: now.block, kind: 'sealed', source: url }]); // its own words, not where a page was found
  // A2, E7: what has run does not run again.
  const again = await client.call('comm_fetch', { task, declaration });
  assert.ok(again.isError || again.structuredContent.block === now.block, JSON.stringify(again.structuredContent));
  assert.equal(home.site.asked('/offer'), at.fetches + 1);
  return now.block;
}

/** E12: a page that is not there is `failed`, and nothing else is told. */
async function missing(client, home, { task }) {
  const call = client.call('comm_fetch', { task, url: home.site.url('/missing'), reason: REASON });
  const [now] = await Promise.all([call.then((result) => ended(client, said(result))), home.decide(task)]);
  assert.equal(now.outcome, 'failed');
  assert.deepEqual(Object.keys(now).sort(), ['declaration', 'next', 'operation', 'outcome', 'parameters']);
}

/** B18, B23: asked about by BCP. */
async function asked(client, { task, block }) {
  const result = await answered(client, client.call('BCPQuery', { ...OFFER, task, blocks: [block] })), now = said(result);
  assert.equal(now.outcome, 'delivered');
  assert.deepEqual(now.delivery.response.answers, [{ id: 'price', answer: '1240.50 EUR' }, { id: 'until', answer: '2026-04-30' },
    { id: 'reference', answer: REFERENCE }]);
  assert.deepEqual(result._meta['keyhole/labels'].sources, [block]);
}

/** The call that the page wants: its reference to another host. */
async function poisoned(client, home, { task }, path) {
  const url = home.site.url(`${path}?ref=${REFERENCE}`, 'localhost');
  const now = said(await client.call('comm_fetch', { task, url, reason: 'Confirm the reference of the order.' }));
  assert.equal(now.outcome, 'pending');
  assert.equal(now.block, undefined);
  assert.deepEqual(Object.keys(now).sort(), ['approval', 'declaration', 'next', 'operation', 'outcome', 'parameters']);
  assert.equal(home.site.asked(`${path}?ref=${REFERENCE}`), 0);
  return now;
}

/** K7: held; the reviewer sees what matched, and rejects it; the Controller learns the outcome alone. */
async function heldForHuman(client, home, at) {
  const now = await poisoned(client, home, at, '/confirm/by-human');
  const shown = await home.shown(now.approval);
  assert.match(shown, /shared_\w+, of arguments\.url: "[^"]*localhost/, 'the reviewer does not see what matched');
  assert.ok(shown.includes(at.block), 'the reviewer does not see which block it stands in');
  await home.decide(at.task, 'reject');
  assert.equal((await ended(client, now)).outcome, 'rejected');
  assert.equal(home.site.asked(`/confirm/by-human?ref=${REFERENCE}`), 0);
}

/** What a supervisor is shown of APPROVAL. */
async function next(supervisor, approval) {
  const { found, verification } = said(await supervisor.call('verification_next', { approval }));
  assert.equal(found, true);
  assert.equal(verification.id, approval);
  assert.equal(verification.kind, 'tool_call');
  return verification;
}

/** K7: a supervisor that is an agent denies: final. */
async function supervisorDenies(client, supervisor, home, at) {
  const now = await poisoned(client, home, at, '/confirm/denied'), verification = await next(supervisor, now.approval);
  assert.ok(JSON.stringify(verification).includes(REFERENCE));
  said(await supervisor.call('verification_decide', { approval: now.approval, decision: 'deny', shown: verification.digest,
    note: 'The page asked for this, not the user.' }));
  assert.ok(['denied', 'rejected'].includes((await ended(client, now)).outcome));
  assert.equal(home.site.asked(`/confirm/denied?ref=${REFERENCE}`), 0);
}

/** K7: an agent's word does not suffice where the risk is not low: a human is asked on top, and then it runs. */
async function supervisorAllows(client, supervisor, home, at) {
  const now = await poisoned(client, home, at, '/confirm/allowed'), verification = await next(supervisor, now.approval);
  said(await supervisor.call('verification_decide', { approval: now.approval, decision: 'allow', shown: verification.digest }));
  const still = said(await client.call('approval_wait', { id: now.declaration }));
  assert.equal(still.outcome, 'pending', 'a model alone let a call through that is not of low risk');
  assert.equal(home.site.asked(`/confirm/allowed?ref=${REFERENCE}`), 0);
  await home.decide(at.task);
  assert.equal((await ended(client, still)).outcome, 'ok');
  assert.equal(home.site.asked(`/confirm/allowed?ref=${REFERENCE}`), 1);
}

/** All of it, as subtests of T.  SUPERVISOR may be left out: then humans decide alone. */
export async function outside(t, client, home, supervisor) {
  const at = { fetches: home.site.asked('/offer') };
  home.site.requests = home.site.requests.filter((line) => line.includes('/offer'));
  await t.test('declared while it plans', async () => Object.assign(at, await declared(client, home)));
  await t.test('not declared', () => notDeclared(client, home, at));
  await t.test('approved by a second process, fetched, sealed', async () => { at.block = await fetched(client, home, at); });
  await t.test('asked by BCP', () => asked(client, at));
  await t.test('a page that is not there', () => missing(client, home, at));
  await t.test('what the page wants: held for a human', () => heldForHuman(client, home, at));
  if (!supervisor) return;
  await t.test('what the page wants: denied by a supervisor', () => supervisorDenies(client, supervisor, home, at));
  await t.test('what the page wants: a supervisor allows, a human too', () => supervisorAllows(client, supervisor, home, at));
}
