import { destination, pino, type Logger } from 'pino';

/** Structured lines on standard error: what happened and where, never what a document or a query says. */
export const createLogger = (level: string, service: string): Logger =>
  pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ['req.headers.authorization', 'key', 'text', 'query'], censor: '[kept back]' },
    },
    destination({ fd: 2, sync: false }),
  );
