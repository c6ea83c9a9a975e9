export default () => globalThis.stopE2eServers();
