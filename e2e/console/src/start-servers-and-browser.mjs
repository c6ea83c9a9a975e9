import findBrowser from './find-browser.mjs';
import startServers from '@palimpsest/e2e-support/start-servers.mjs';

export default async () => {
  findBrowser();
  await startServers();
};
