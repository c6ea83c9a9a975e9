import type { getDocumentProxy } from 'unpdf';

/** An opened PDF, as the library hands it out. */
export type PdfDocument = Awaited<ReturnType<typeof getDocumentProxy>>;
