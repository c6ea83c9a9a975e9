import { destination, pino, type Logger } from 'pino';

/** Logs structured lines to standard error. They never contain the text of a document or a query. */
export const createLogger = (level: string, service: string): Logger =>
  pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['req.headers.authorization', 'key', 'text', 'query'], censor: '[redacted]' },
    },
    destination({ fd: 2, sync: false }),
  );
