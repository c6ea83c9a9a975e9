import type { OperationNotes } from './operation-note.ts';

export const HEALTH_NOTES: OperationNotes = {
  'GET /': { answer: 'Greeting', description: 'For programs; whoever asks for `text/html` gets the web console where it is served.' },
  'GET /health/live': { answer: 'Liveness', description: 'For a supervisor that restarts what does not answer. It looks at nothing else.' },
  'GET /health/ready': { answer: 'Readiness', also: { 503: 'Readiness' }, description: 'For a load balancer: whether searches can be answered. After a start, and during a rebuild, it is 503 for a while. A process that cannot store anything, since its disk is full, say, can still search: it answers 200 with `degraded`, and refuses uploads with 503.' },
  'GET /health/rag': { answer: 'HealthReport', description: 'Of the process that answers. Without an operator’s key: the state, and the reasons for it. With one also latencies of embedding and flushing, the queue, and how many searches found something, little or nothing.' },
};
