import type { OperationNotes } from './operation-note.ts';

export const HEALTH_NOTES: OperationNotes = {
  'GET /': { answer: 'Greeting', description: 'For programs. A request that accepts `text/html` gets the web console, if it is served.' },
  'GET /health/live': { answer: 'Liveness', description: 'Liveness probe, for a supervisor that restarts a process that does not respond. It checks nothing else.' },
  'GET /health/ready': { answer: 'Readiness', also: { 503: 'Readiness' }, description: 'Readiness probe, for a load balancer: whether the process can answer searches. It returns 503 for a while after a start, while damage is repaired and, for a query service, during a rebuild. A process that cannot write, for example because its disk is full, can still search: it returns 200 with `degraded` and refuses uploads with 503.' },
  'GET /health/rag': { answer: 'HealthReport', description: 'Health of the process that responds. Without an operator’s key: the status and its reasons. With one: also the latencies of embedding and flushing, the queue, and how many searches found relevant results, only irrelevant ones, or none.' },
};
