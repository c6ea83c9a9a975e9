/** The browser for the tests and pictures of the console: Debian's Chromium, or another one by its path. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** It only connects to the platform under test, without background traffic. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const runnable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** @returns {string | undefined} */
const found = () => {
  const named = process.env.PALIMPSEST_CHROMIUM;
  if (named) {
    if (!runnable(named)) throw new Error(`PALIMPSEST_CHROMIUM names ${named}, which is not an executable program`);
    return named;
  }
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'];
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(runnable);
};

/** @throws an error with a single line that says what to do */
export const chromiumPath = () => {
  const path = found();
  if (path === undefined)
    throw new Error('no Chromium is installed: install the package `chromium`, or set PALIMPSEST_CHROMIUM to the path of one');
  return path;
};

/** In CI, as root on Debian or Ubuntu, installs missing packages. */
export const ensureChromium = () => {
  if (found() === undefined && process.env.CI && process.getuid?.() === 0) install();
  return chromiumPath();
};

const install = () => {
  const apt = (...args) =>
    spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } }).status === 0;
  const packages = ['install', '--yes', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'];
  // The package lists may be outdated or missing.
  if (!apt(...packages) && apt('update', '-qq')) apt(...packages);
};

/** A browser with an empty profile, which playwright creates and removes. */
export const launchChromium = () => chromium.launch({ executablePath: chromiumPath(), headless: true, args: FLAGS });
