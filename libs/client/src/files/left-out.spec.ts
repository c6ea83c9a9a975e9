import { leftOutOf, mayHoldSecrets, reasonToLeaveOut } from './left-out.ts';

describe('Choosing the files of a folder', () => {
  it.each([
    '.env',
    '.env.production',
    '.ENV.Local',
    '.envrc',
    'prod.env',
    'id_rsa',
    'id_ed25519',
    'server.pem',
    'tls.KEY',
    'store.p12',
    'cert.pfx',
    'putty.ppk',
    'release.jks',
    'debug.keystore',
    'vault.kdbx',
    'credentials',
    'credentials.json',
    'secrets.yaml',
    'secret.yml',
    'api_key',
    'ann_accessKeys.csv',
    'service-account.json',
    'service_account-prod.json',
    'client_secret_123.json',
    '.npmrc',
    '.netrc',
    '_netrc',
    '.pypirc',
    '.pgpass',
    '.git-credentials',
    '.htpasswd',
    'kubeconfig',
    'prod.kubeconfig',
    'terraform.tfstate',
    'terraform.tfstate.backup',
    'prod.tfvars',
    'wp-config.php',
    'master.key',
    'local-api-key',
  ])('%s is left out because it may hold secrets', (name) => {
    expect(reasonToLeaveOut(name, 'file')).toBe('secret');
    expect(mayHoldSecrets(name)).toBe(true);
  });

  it.each([
    'handbook.md',
    'environment.md',
    'env.md',
    'keyboard.txt',
    'credentials.md',
    'secrets-of-the-sea.epub',
    'secret-garden.txt',
    'id_rsa.pub',
    'monkey.txt',
    'the.key.question.md',
    'shadow.md',
    'tokenizer.json',
    'key-results.xlsx',
  ])('%s is sent', (name) => {
    expect(reasonToLeaveOut(name, 'file')).toBeUndefined();
  });

  it('leaves out hidden files and folders, installed packages and files of the operating system', () => {
    expect([
      reasonToLeaveOut('.git', 'folder'),
      reasonToLeaveOut('.gitignore', 'file'),
      reasonToLeaveOut('node_modules', 'folder'),
      reasonToLeaveOut('Thumbs.db', 'file'),
      reasonToLeaveOut('.DS_Store', 'file'),
    ]).toEqual(['hidden', 'hidden', 'packages', 'system', 'system']);
    expect([reasonToLeaveOut('.ssh', 'folder'), reasonToLeaveOut('credentials', 'folder'), reasonToLeaveOut('docs', 'folder')]).toEqual([
      'secret',
      undefined,
      undefined,
    ]);
  });

  it('reports the outermost folder that is left out', () => {
    expect(leftOutOf('a/.git/refs/.hidden')).toEqual({ path: 'a/.git', reason: 'hidden' });
    expect(leftOutOf('a/node_modules/b/.env')).toEqual({ path: 'a/node_modules', reason: 'packages' });
    expect(leftOutOf('a/b/.env')).toEqual({ path: 'a/b/.env', reason: 'secret' });
    expect(leftOutOf('a/b/c.md')).toBeUndefined();
  });
});
