/** What the environment says; read here and nowhere else. */
export type CliConfig = Readonly<{
  url: string | undefined;
  apiKey: string | undefined;
  /** The data folder of a server on this machine. */
  data: string | undefined;
  /** What backups and exports are sealed under, unless an option says otherwise. */
  backupPassphrase: string | undefined;
  /** Shows stack traces. */
  debug: boolean;
  color: boolean | undefined;
  /** For child processes. */
  environment: NodeJS.ProcessEnv;
}>;

const filled = (value: string | undefined): string | undefined => (value === undefined || value === '' ? undefined : value);

export const readConfig = (environment: NodeJS.ProcessEnv = process.env): CliConfig => ({
  url: filled(environment['PALIMPSEST_URL']),
  apiKey: filled(environment['PALIMPSEST_API_KEY']),
  data: filled(environment['PALIMPSEST_DATA']),
  backupPassphrase: filled(environment['PALIMPSEST_BACKUP_PASSPHRASE']),
  debug: filled(environment['PALIMPSEST_DEBUG']) !== undefined,
  color: colorWish(environment),
  environment,
});

/** https://no-color.org and its opposite; undefined leaves it to the terminal. */
const colorWish = (environment: NodeJS.ProcessEnv): boolean | undefined => {
  if (filled(environment['NO_COLOR']) !== undefined) return false;
  return filled(environment['FORCE_COLOR']) === undefined ? undefined : environment['FORCE_COLOR'] !== '0';
};
