const LOOPBACK = /^(?:127\.|localhost$|::1$)/;

export type ConsoleAddress = Readonly<{ url: string; host: string; key: string; keyFile: string; isTerminal: boolean }>;

/**
 * The line that says where a person opens the console. The local key stands behind the `#`, which a browser keeps to itself, and only where a person
 * reads the line on a terminal: any other output ends in logs that others read. Where others reach the port, the key is never shown.
 */
export const consoleAddress = ({ url, host, key, keyFile, isTerminal }: ConsoleAddress): string => {
  if (!LOOPBACK.test(host)) return `Open ${url}/ and sign in with an API key.`;
  return isTerminal ? `Open ${url}/#key=${key}` : `Open ${url}/ and sign in with the key that is stored in ${keyFile}`;
};
