/** The settings from the environment, which is read only here. */
export type CliConfig = Readonly<{
  url: string | undefined;
  apiKey: string | undefined;
  /** The data folder of a server on this machine. */
  data: string | undefined;
  /** Seals backups and exports, unless an option names another secret. */
  backupPassphrase: string | undefined;
  /** Address of the Hugging Face hub or a mirror, and the token for it. */
  hubEndpoint: string | undefined;
  hubToken: string | undefined;
  /** Shows stack traces. */
  debug: boolean;
  color: boolean | undefined;
  /** For child processes. */
  environment: NodeJS.ProcessEnv;
}>;

const nonEmpty = (value: string | undefined): string | undefined => (value === undefined || value === '' ? undefined : value);

export const readConfig = (environment: NodeJS.ProcessEnv = process.env): CliConfig => ({
  url: nonEmpty(environment['PALIMPSEST_URL']),
  apiKey: nonEmpty(environment['PALIMPSEST_API_KEY']),
  data: nonEmpty(environment['PALIMPSEST_DATA']),
  backupPassphrase: nonEmpty(environment['PALIMPSEST_BACKUP_PASSPHRASE']),
  hubEndpoint: nonEmpty(environment['HF_ENDPOINT']),
  hubToken: nonEmpty(environment['HF_TOKEN']),
  debug: nonEmpty(environment['PALIMPSEST_DEBUG']) !== undefined,
  color: colorSetting(environment),
  environment,
});

/** NO_COLOR (https://no-color.org) and FORCE_COLOR; undefined leaves the choice to the terminal. */
const colorSetting = (environment: NodeJS.ProcessEnv): boolean | undefined => {
  if (nonEmpty(environment['NO_COLOR']) !== undefined) return false;
  return nonEmpty(environment['FORCE_COLOR']) === undefined ? undefined : environment['FORCE_COLOR'] !== '0';
};
