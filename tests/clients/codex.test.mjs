// Codex CLI through one whole turn (I1, A5, B18): a scripted model has it open a task, ask, get a delivery, and meet a
// held answer that a second process approves.  Nothing but loopback is reached.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { configure, object, servers, turn } from './codex.mjs';
import { CANARIES, CONTROLLER_TOOLS, HELD, HELD_ANSWERS, Home, KIND } from './keyhole.mjs';
import { Model } from './model.mjs';

let home;
before(async () => {
  home = await Home.make();
  await home.serve();
});
after(() => home.close());

for (const [transport, server] of Object.entries(servers)) {
  test(`one turn of Codex over ${transport}`, async () => {
    const token = await home.token();
    let task, deciding;
    const wait = (now) => (['waiting', 'pending'].includes(now.outcome)
      ? { name: 'approval_wait', arguments: { id: now.approval ?? now.query } } : null);
    const script = [
      () => ({ name: 'task_open', arguments: { title: 'read my mail' } }),
      async (now) => {
        task = now.task;
        await home.put(task);
        return { name: 'BCPQuery', arguments: { ...KIND, task } };
      },
      ({ outcome, delivery }) => {
        assert.equal(outcome, 'delivered');
        assert.deepEqual(delivery.response.fields, { urgent: true, topic: 'meeting' });
        deciding = home.decide(task);
        return { name: 'BCPQuery', arguments: { ...HELD, task } };
      },
      ({ outcome, delivery }) => {
        assert.equal(outcome, 'delivered');
        assert.deepEqual(delivery.response.answers, HELD_ANSWERS);
        return 'The meeting is urgent.';
      },
    ];
    // A step is played when the call before it has an outcome; until then the agent goes on waiting.
    const model = new Model('mcp__keyhole', (outputs) => {
      const now = outputs.length > 0 ? object(outputs.at(-1)) : {};
      return wait(now) ?? script.shift()(now);
    });
    try {
      const { events, out, err } = await turn(home, configure(home, await model.listen(), server(home, token)),
        'When is the meeting?');
      assert.deepEqual(model.faults, [], `${out}\n${err}`);
      assert.equal(script.length, 0, `the script was not played to its end: ${out}\n${err}`);
      await deciding;
      assert.deepEqual([...model.tools].sort(), [...CONTROLLER_TOOLS].sort());
      assert.equal(events.at(-1).type, 'turn.completed');
      assert.ok(events.some((event) => event.item?.text === 'The meeting is urgent.'));
      const seen = [...model.bodies, out, err].join('\n').toLowerCase();
      assert.deepEqual(CANARIES.filter((canary) => seen.includes(canary)), []);
    } finally {
      await model.close();
    }
  });
}

test('no canary in what Controllers were sent', () => assert.deepEqual(home.leaked(), []));
