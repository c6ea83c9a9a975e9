/** Formats that are detected by their bytes, not by their name. */
export type BinaryFormat = 'pdf' | 'rtf' | 'docx' | 'slides' | 'writer' | 'epub' | 'workbook' | 'word97' | 'powerpoint97' | 'outlook';
