/**
 * The real parser process with untrusted code in it. It runs the attempts in the message, and replies with the result of each: the code of
 * an error, or 'done'.
 */
import '../src/child/parse-worker.ts';

import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
process.removeAllListeners('message');

const attempt = async (code: string): Promise<string> => {
  try {
    // A function body with `require`, so that the attempts read like code.
    await (new Function('require', `return (async () => { ${code} })()`) as (load: NodeJS.Require) => Promise<unknown>)(require);
    return 'done';
  } catch (error) {
    const { code: reason, cause, message } = error as { code?: string; cause?: { code?: string }; message?: string };
    return reason ?? cause?.code ?? message ?? String(error);
  }
};

process.on('message', (attempts: Readonly<Record<string, string>>) => {
  void Promise.all(Object.entries(attempts).map(async ([name, code]) => [name, await attempt(code)])).then((results) =>
    process.send?.({ type: 'attempted', results: Object.fromEntries(results) as Record<string, string> }),
  );
});
