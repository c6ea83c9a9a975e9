import { existsSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { jest } from '@jest/globals';
import { pino } from 'pino';
import { platformConfig } from '@palimpsest/platform/settings';
import { startPlatform } from '@palimpsest/platform-app';
import { EmbeddingStandIn } from '@palimpsest/e2e-support/embedding-stand-in';
import { aDataFolder } from '@palimpsest/e2e-support/platform-under-test';
import { afterSuite } from '@palimpsest/e2e-support/tidy-up';

describe('the local API key', () => {
  it('exists before the platform listens, so that clients can sign in as soon as it is ready', async () => {
    const data = await aDataFolder();
    const settings = {
      ...(await EmbeddingStandIn.open()).settings(),
      PALIMPSEST_DATA: data,
      PALIMPSEST_PORT: '0',
      PALIMPSEST_SAMPLES: 'false',
      PALIMPSEST_CONSOLE: 'false',
    };
    const present: boolean[] = [];
    const listen = Server.prototype.listen;
    const spy = jest.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server, ...args: unknown[]) {
      present.push(existsSync(join(data, 'keys', 'local-api-key')));
      return Reflect.apply(listen, this, args) as Server;
    });
    const platform = await startPlatform(platformConfig(settings), pino({ level: 'silent' }));
    afterSuite(platform.stop);
    spy.mockRestore();
    expect(present).toEqual([true]);
  });
});
