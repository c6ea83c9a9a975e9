import type { Json } from '@palimpsest/knowledge/ports';
import type { Upcaster } from '../event-codec.ts';

// Version 1 had all fields in the clear. Version 2 seals fields; what a type gained besides is added to events of version 1.

/** Nothing besides the sealing. */
export const sealedSince2: readonly Upcaster[] = [(data) => data];
export const adding = (fields: Readonly<Record<string, Json>>): readonly Upcaster[] => [(data) => ({ ...data, ...fields })];

/** Replaces sealed texts once the scope's key is destroyed. */
export const ERASED = 'erased';
