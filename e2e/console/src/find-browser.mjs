import { existsSync } from 'node:fs';
import { ensureChromium } from '../../../tools/chromium/chromium.mjs';

/** Before the first test: without a browser, or without what it is to show, none can pass. */
export default () => {
  ensureChromium();
  if (!existsSync(new URL('../../../apps/console/dist/index.html', import.meta.url)))
    throw new Error('the console is not built: npm run build');
};
