import { route } from '../route.ts';
import { healthReport } from '../views/figures.ts';
import { greeting, liveness, readiness } from '../views/health.ts';

export const getRoot = route({
  id: 'Health.root',
  method: 'get',
  path: '/',
  service: 'every',
  tag: 'Operation',
  summary: 'Name and version of the server, with links to its main resources',
  description: 'For programs. A request that accepts `text/html` gets the web console, if it is served.',
  public: true,
  status: 200,
  response: greeting,
});

// Probes are answered under any load: a supervisor must not mistake a busy process for a dead one.

export const getLiveness = route({
  id: 'Health.live',
  method: 'get',
  path: '/health/live',
  service: 'every',
  tag: 'Operation',
  summary: 'Check that the process is alive',
  description: 'Liveness probe, for a supervisor that restarts a process that does not respond. It checks nothing else.',
  public: true,
  work: 'none',
  status: 200,
  response: liveness,
});

export const getReadiness = route({
  id: 'Health.ready',
  method: 'get',
  path: '/health/ready',
  service: 'every',
  tag: 'Operation',
  summary: 'Check that searches return complete results; 503 until the read models have caught up. `degraded`: writes fail',
  description:
    'Readiness probe, for a load balancer: whether the process can answer searches. It returns 503 for a while after a start, while damage is repaired and, for query services whose words are in Qdrant, during a rebuild. A process that cannot write, for example because its disk is full, can still search: it returns 200 with `degraded` and refuses uploads with 503.',
  public: true,
  work: 'none',
  status: 200,
  response: readiness,
  also: { 503: readiness },
});

export const getHealth = route({
  id: 'Health.rag',
  method: 'get',
  path: '/health/rag',
  service: 'every',
  tag: 'Operation',
  summary: 'Health of retrieval and indexing, with reasons; with an operator’s key also the figures of the last 60 seconds',
  description:
    'Health of the process that responds. Without an operator’s key: the status and its reasons. With one: also the latencies of embedding and flushing, the queue, and how many searches found relevant results, only irrelevant ones, or none.',
  public: true,
  work: 'none',
  status: 200,
  response: healthReport,
  problems: ['Internal'],
});
