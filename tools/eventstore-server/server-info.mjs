import { randomUUID } from 'node:crypto';
import { features, gossip, GossipService, makeId, ServerFeaturesService, StreamsService } from './protocol.mjs';

/** The first request of a client: the methods that the server supports. */
export const serverFeatures = (version) => ({
  getSupportedMethods: (_call, answer) => {
    const m = new features.SupportedMethods();
    m.setEventStoreServerVersion(version);
    for (const d of [...Object.values(StreamsService), ...Object.values(ServerFeaturesService), ...Object.values(GossipService)]) {
      const [, service, method] = d.path.toLowerCase().split('/');
      const sm = new features.SupportedMethod();
      sm.setServiceName(service);
      sm.setMethodName(method);
      if (method === 'read' && service.endsWith('streams')) sm.setFeaturesList(['position', 'events']);
      if (method === 'batchappend') sm.setFeaturesList(['deadline_duration']);
      m.addMethods(sm);
    }
    answer(null, m);
  },
});

/** The members of the cluster. `members` is called for each request. */
export const gossipOf = (host, members) => ({
  read: (_call, answer) => {
    const info = new gossip.ClusterInfo();
    for (const { port, alive, state } of members()) {
      const m = new gossip.MemberInfo();
      const ep = new gossip.EndPoint();
      ep.setAddress(host);
      ep.setPort(port);
      m.setHttpEndPoint(ep);
      m.setIsAlive(alive);
      m.setState(state);
      m.setInstanceId(makeId(randomUUID(), false));
      info.addMembers(m);
    }
    answer(null, info);
  },
});
