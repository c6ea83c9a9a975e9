import findBrowser from '../test-console/find-browser.mjs';
import startServers from './start-servers.mjs';

export default async () => {
  findBrowser();
  await startServers();
};
