import type { Browser } from 'playwright-core';

export const chromiumPath: () => string;
export const ensureChromium: () => string;
export const launchChromium: () => Promise<Browser>;
