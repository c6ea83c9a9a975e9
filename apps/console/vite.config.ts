import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { precompress } from './precompress.ts';

/** `vite build` makes what libs/host serves; `vite` (npm run dev) serves the sources, and asks a platform that runs beside it. */
export default defineConfig({
  plugins: [react(), precompress()],
  resolve: { conditions: ['@palimpsest/source', 'module', 'browser', 'development|production'] },
  build: {
    target: 'es2023',
    // Everything is a file of its own: the Content-Security-Policy allows no `data:`.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:7330', '/health': 'http://127.0.0.1:7330' } },
});
