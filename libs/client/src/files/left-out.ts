/**
 * Decides which files of a folder are not sent. The command line and the console share these rules. They leave out what the owner of a
 * folder usually does not see or does not think of, and look at names only. A file that the user names explicitly is always sent.
 */

/** `packages`: installed third-party packages. `system`: created by the operating system. */
export type LeftOutReason = 'secret' | 'hidden' | 'packages' | 'system';

/** A file, or a folder with everything in it. `path` is relative to the folder that is sent. */
export type LeftOut = Readonly<{ path: string; reason: LeftOutReason }>;

export const LEFT_OUT_BECAUSE: Readonly<Record<LeftOutReason, string>> = {
  secret: 'its name is that of a file with passwords or keys',
  hidden: 'it is hidden',
  packages: 'it holds installed packages',
  system: 'the operating system made it',
};

const SYSTEM = new Set(['thumbs.db', 'desktop.ini', '.ds_store', '__macosx']);
const PACKAGES = new Set(['node_modules']);
const SECRET_FOLDERS = new Set(['.ssh', '.aws', '.azure', '.gcloud', '.gnupg', '.kube', '.docker', '.password-store']);

const SECRET_FILES: readonly RegExp[] = [
  // Settings of programs: .env, .env.production, prod.env
  /^\.env(?:\..+|rc)?$|\.env$/,
  // Private keys and stores of keys, passwords or certificates
  /^id_(?:rsa|dsa|ecdsa|ed25519|ed25519_sk|ecdsa_sk)$/,
  /\.(?:pem|key|p8|p12|pfx|pkcs12|ppk|jks|keystore|bks|kdbx?|agekey|keychain(?:-db)?|kwallet|ovpn|tfstate|tfvars)$/,
  /\.tfstate\.(?:backup|.+\.backup)$/,
  // Accounts and tokens
  /^(?:credentials?|secrets?|access[-_]?keys?|api[-_]?keys?)(?:\.(?:json|ya?ml|toml|ini|cfg|conf|csv|xml|properties|db))?$/,
  /_accesskeys\.csv$/,
  /^(?:service[-_]?account|client[-_]?secret).*\.json$/,
  /^(?:\.npmrc|\.yarnrc\.yml|\.pypirc|[._]netrc|\.pgpass|\.my\.cnf|\.dockercfg|\.git-credentials|\.htpasswd|htpasswd|\.vault-token|\.boto|\.s3cfg|\.authinfo|kubeconfig|kube\.config|wp-config\.php|local-api-key|shadow)$/,
  /\.kubeconfig$/,
];

/** Whether a file of this name usually holds passwords or keys. */
export const mayHoldSecrets = (name: string): boolean => SECRET_FILES.some((pattern) => pattern.test(name.toLowerCase()));

/** Why a file or folder of this name is left out, or undefined. */
export const reasonToLeaveOut = (name: string, kind: 'file' | 'folder'): LeftOutReason | undefined => {
  const plain = name.toLowerCase();
  if (SYSTEM.has(plain)) return 'system';
  if (kind === 'file' ? mayHoldSecrets(plain) : SECRET_FOLDERS.has(plain)) return 'secret';
  if (kind === 'folder' && PACKAGES.has(plain)) return 'packages';
  return plain.startsWith('.') ? 'hidden' : undefined;
};

/** Checks a whole path (separated by "/") and returns its outermost part that is left out, or undefined. */
export const leftOutOf = (path: string): LeftOut | undefined => {
  const names = path.split('/');
  for (const [index, name] of names.entries()) {
    const reason = reasonToLeaveOut(name, index === names.length - 1 ? 'file' : 'folder');
    if (reason !== undefined) return { path: names.slice(0, index + 1).join('/'), reason };
  }
  return undefined;
};
