/** `node health.mjs /health/ready`: exit code 0 if the service of this container responds to that path with 2xx. The image has no curl. */
const [path = '/health/live'] = process.argv.slice(2);
const address = `http://127.0.0.1:${process.env.PALIMPSEST_PORT ?? 7330}${path}`;

try {
  const answer = await fetch(address, { signal: AbortSignal.timeout(4_000) });
  if (!answer.ok) process.stderr.write(`${address}: ${answer.status} ${(await answer.text()).slice(0, 200)}\n`);
  process.exitCode = answer.ok ? 0 : 1;
} catch (error) {
  process.stderr.write(`${address}: ${error.cause?.message ?? error.message}\n`);
  process.exitCode = 1;
}
