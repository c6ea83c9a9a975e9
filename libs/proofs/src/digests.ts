import { hash } from 'node:crypto';

/** 32 bytes. */
export const sha256 = (content: string | Uint8Array): Buffer => hash('sha256', content, 'buffer');
/** 64 lower-case hexadecimal digits. */
export const sha256Hex = (content: string | Uint8Array): string => hash('sha256', content, 'hex');
