import type { getDocumentProxy } from 'unpdf';

/** An opened PDF of the library. */
export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
