// Runs a program with our standard streams, and appends what it writes to a file: tee.mjs FILE PROGRAM ARGUMENT...
import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';

const [file, program, ...args] = process.argv.slice(2);
const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.stdin.on('error', () => {});
child.stdout.on('data', (data) => {
  appendFileSync(file, data);
  process.stdout.write(data);
});
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => child.kill(signal));
child.on('close', (status) => process.exit(status ?? 1));
