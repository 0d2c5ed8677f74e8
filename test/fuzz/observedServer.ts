import { WebSocket } from "ws"
import { controllerOf } from "../../src/kubernetes/meta/ownerReferences.ts"
import { drawTree } from "../../src/cli/tree/drawTree.ts"
import { explainPod } from "../../src/explain/objects/explainPod.ts"
import { explainReplicaSet } from "../../src/explain/objects/explainReplicaSet.ts"
import { explainRollout } from "../../src/explain/objects/explainRollout.ts"
import { eventsRenderer, jsonRenderer, treeRenderer } from "../../src/cli/rendering/renderers.ts"
import { isUnreadable } from "../../src/recording/readEntry.ts"
import { makeClusterHistory } from "../../src/page/history/clusterHistory.ts"
import { makeLedger } from "../../src/scenario/ledger/ledger.ts"
import { makeStoryRecorder } from "../../src/scenario/stories/playing/storyRecorder.ts"
import { makeRolloutTracker } from "../../src/cli/rendering/rolloutTracker.ts"
import { makeCostTracker } from "../../src/cli/rendering/costTracker.ts"
import { openInspector } from "../../src/inspect/stately.ts"
import { openTestServer, type TestServer } from "../server/testServer.ts"
import { plainPalette } from "../../src/cli/terminal/palette.ts"
import { readRecording } from "../../src/recording/readRecording.ts"
import { resources } from "../../src/kubernetes/meta/kinds.ts"
import { eventGroups } from "../../src/page/history/eventGroups.ts"
import { normalizeEvent } from "../../src/kubernetes/meta/normalizeEvent.ts"
import type { Cluster } from "../../src/cluster/cluster.ts"

/** A served cluster with all observers that exist. */
export interface ObservedServer extends TestServer {
  /** Explains and draws all objects once more. Throws what an explanation or drawing throws. */
  readonly showAll: () => Promise<void>
}

export const openObservedServer = async (): Promise<ObservedServer> => {
  const inspector = await openInspector()
  const viewer = new WebSocket(inspector.url.replace("http:", "ws:"))
  const server = await openTestServer({
    podsMax: 60,
    nodes: 2,
    record: true,
    observerErrors: "report",
    inspect: inspector.inspect
  })
  const { cluster } = server
  inspector.follow(cluster)
  attachShows(cluster)
  attachLedger(cluster)
  const streams = await Promise.all([
    server.watch("/charthouse/v1/recording?watch=1"),
    server.watch("/api/v1/events?watch=1", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
    server.watch("/apis/events.k8s.io/v1/events?watch=1"),
    server.watch("/api/v1/pods?watch=1", { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" })
  ])
  const close = async (): Promise<void> => {
    for (const stream of streams) stream.close()
    await server.close()
    viewer.terminate()
    await inspector.close()
  }
  const showAll = async (): Promise<void> => {
    explainAll(cluster)
    await showPage(server)
  }
  return { ...server, close, showAll, [Symbol.asyncDispose]: close }
}

const attachShows = (cluster: Cluster["Service"]): void => {
  const stage = {
    cluster,
    startMillis: cluster.nowMillis(),
    settings: { version: "0", seed: 1, clock: "virtual", nodes: 2, startTime: "" },
    palette: plainPalette,
    print: () => {},
    printLazily: (makeLine: () => string) => void makeLine()
  }
  const shows = [eventsRenderer(stage), treeRenderer(stage), jsonRenderer(stage)]
  const rollouts = makeRolloutTracker({
    view: cluster.view,
    nowMillis: cluster.nowMillis,
    onNews: (news) => {
      for (const show of shows) show.onRolloutNews(news)
    }
  })
  const summary = makeCostTracker()
  for (const { onChange: observe } of [...shows, rollouts, summary]) {
    cluster.onChange((change) => observe(change, cluster.nowMillis()))
  }
}

const attachLedger = (cluster: Cluster["Service"]): void => {
  const ledger = makeLedger()
  ledger.observeExisting(cluster.view, cluster.nowMillis())
  makeStoryRecorder({ cluster, ledger, writesMax: Infinity, onEndless: () => {} })
}

const explainAll = ({ view, nowMillis: now }: Cluster["Service"]): void => {
  const nowMillis = now()
  const events = Array.from(view.all(resources.events), normalizeEvent)
  const nodes = [...view.all(resources.nodes)]
  drawTree({ view, nowMillis, palette: plainPalette })
  for (const deployment of view.all(resources.deployments)) {
    const replicaSets = view.controlled(resources.replicaSets, deployment.metadata.uid)
    const pods = replicaSets.flatMap(({ metadata }) => view.controlled(resources.pods, metadata.uid))
    const namespace = view.get(resources.namespaces, "default")
    explainRollout({ deployment, replicaSets, pods, events, namespace, nodes, nowMillis })
  }
  for (const replicaSet of view.all(resources.replicaSets)) {
    const pods = view.controlled(resources.pods, replicaSet.metadata.uid)
    explainReplicaSet({ replicaSet, pods, nodes, events, nowMillis })
  }
  for (const pod of view.all(resources.pods)) {
    const node = nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName)
    explainPod({ pod, node, events, nowMillis })
  }
}

const showPage = async ({ request, cluster }: TestServer): Promise<void> => {
  const { text } = await request("GET", "/charthouse/v1/recording")
  const recording = readRecording(text)
  if (isUnreadable(recording)) throw new Error(`the recording cannot be read: ${recording.problem}`)
  const history = makeClusterHistory(recording.header)
  for (const entry of recording.entries) history.add(entry)
  const fleet = history.fleetAt(undefined)
  const { view } = cluster
  for (const resource of [resources.deployments, resources.pods, resources.nodes]) {
    for (const object of view.all(resource)) {
      eventGroups(fleet, history.ownedBy(object.metadata.uid))
      const controller = controllerOf(object)?.uid
      if (controller !== undefined) eventGroups(fleet, history.ownedBy(controller))
    }
  }
  for (const track of history.series.tracks()) history.series.trackOf(track)
}
