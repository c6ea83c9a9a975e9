import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/** `vite build` creates the files that libs/http serves. `npm run dev` serves the sources and proxies API requests to a local platform. */
export default defineConfig({
  plugins: [react(), precompress()],
  resolve: { conditions: ['@palimpsest/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // No inlining: the Content-Security-Policy does not allow `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7330', '/health': 'http://127.0.0.1:7330' } },
});
