import { ARCHIVE_KINDS } from './archive-kinds.ts';
import { DATA_KINDS } from './data-kinds.ts';
import { ENCODING_KINDS } from './encoding-kinds.ts';
import type { HostileKind } from './hostile-kind.ts';
import { MAIL_KINDS } from './mail-kinds.ts';
import { MARKDOWN_KINDS } from './markdown-kinds.ts';
import { OFFICE_KINDS } from './office-kinds.ts';
import { PDF_KINDS } from './pdf-kinds.ts';
import { RTF_KINDS } from './rtf-kinds.ts';
import { TYPE_KINDS } from './type-kinds.ts';
import { UNICODE_KINDS } from './unicode-kinds.ts';
import { WEB_KINDS } from './web-kinds.ts';

type Kinds = Readonly<Record<string, readonly HostileKind[]>>;

/** Half of the work: the suite runs two lists in parallel. */
export const CONTAINER_KINDS: Kinds = {
  'Archives and containers': ARCHIVE_KINDS,
  'Office documents and books': OFFICE_KINDS,
};

export const OTHER_KINDS: Kinds = {
  PDF: PDF_KINDS,
  'Pages and drawings': WEB_KINDS,
  Markdown: MARKDOWN_KINDS,
  'Tables, data and code': DATA_KINDS,
  'E-mail and old containers': MAIL_KINDS,
  RTF: RTF_KINDS,
  'Character sets': ENCODING_KINDS,
  'Characters that hide or pile up': UNICODE_KINDS,
  'Wrong, strange and cut-off files': TYPE_KINDS,
};

/** All kinds of hostile files, by heading. */
export const HOSTILE_KINDS: Kinds = { ...CONTAINER_KINDS, ...OTHER_KINDS };
