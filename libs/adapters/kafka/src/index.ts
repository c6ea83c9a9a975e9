export { openKafkaMessageBus } from './open-kafka-message-bus.ts';
export type { KafkaBusOptions, KafkaOptions } from './kafka-options.ts';
export { setUpTopics, type TopicPlan } from './topics.ts';
export { openKafkaShares } from './kafka-partition-leases.ts';
