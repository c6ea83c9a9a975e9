const LOOPBACK = /^(?:127\.|localhost$|::1$)/;

export type ConsoleAddress = Readonly<{ url: string; host: string; key: string; keyFile: string; isTerminal: boolean }>;

/**
 * The line that shows the address of the console. The local key follows the `#`, because browsers do not send that part. The key is
 * shown only on a terminal: any other output ends up in logs that others read. Where other machines can reach the port, it is never shown.
 */
export const consoleAddress = ({ url, host, key, keyFile, isTerminal }: ConsoleAddress): string => {
  if (!LOOPBACK.test(host)) return `Open ${url}/ and sign in with an API key.`;
  return isTerminal ? `Open ${url}/#key=${key}` : `Open ${url}/ and sign in with the key that is stored in ${keyFile}`;
};
