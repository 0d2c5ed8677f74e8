import { controllerOf } from "../domain/ownerReferences.ts"
import { explainContainer, explainPod } from "../domain/explanation/explainPod.ts"
import { containerNames } from "../domain/explanation/containerTroubles.ts"
import { explainNode } from "../domain/explanation/explainNode.ts"
import { explainReplicaSet } from "../domain/explanation/explainReplicaSet.ts"
import { explainRollout } from "../domain/explanation/explain.ts"
import { nowThere, readEvents, readNodes, readSeen } from "./getRolloutWorld.ts"
import { resources } from "../domain/kinds.ts"
import { allInOrder } from "../remote/allInOrder.ts"
import type { KubeObject } from "../domain/objects.ts"
import type { Explained } from "../domain/explanation/explained.ts"
import type { RemoteCluster } from "../remote/remoteCluster.ts"

/** What was asked for, and how it is. */
export interface Answer {
  readonly kind: string
  readonly object: KubeObject
  readonly explained: Explained
  readonly nowMillis: number
}

type Ask = (remote: RemoteCluster, names: ReadonlyArray<string>) => Promise<Answer>

/** What `pod/web-1` asks for: a kind and its names as kubectl writes them, or the name of a Deployment alone. */
export const askOf = (object: string): ((remote: RemoteCluster) => Promise<Answer>) | undefined => {
  const parts = object.split("/")
  if (parts.some((it) => it === "")) return undefined
  const [kind, ...names] = parts.length === 1 ? ["deployment", ...parts] : parts
  const asked = asks.find(({ words }) => words.test(kind ?? ""))
  if (asked === undefined || names.length !== asked.names) return undefined
  return (remote) => asked.ask(remote, names)
}

const rollout: Ask = async (remote, [name = ""]) => {
  const seen = await readSeen(remote, name)
  const explanation = explainRollout(seen)
  const explained = { ...explanation, isWell: explanation.state === "complete" }
  return { kind: "deployment", object: seen.deployment, explained, nowMillis: seen.nowMillis }
}

const replicaSet: Ask = async (remote, [name = ""]) => {
  const object = await remote.get({ resource: resources.replicaSets, name })
  const [listed, events, nodes, nowMillis] = await allInOrder([
    remote.list(resources.pods, { namespace: remote.namespace, labelSelector: object.spec.selector }),
    readEvents(remote),
    readNodes(remote),
    nowThere(remote)
  ])
  const pods = [...listed.items].filter((it) => controllerOf(it)?.uid === object.metadata.uid)
  const explained = explainReplicaSet({ replicaSet: object, pods, events, nodes, nowMillis })
  return { kind: "replicaSet", object, explained, nowMillis }
}

const readPod = async (remote: RemoteCluster, name: string) => {
  const [pod, events, nodes, nowMillis] = await allInOrder([
    remote.get({ resource: resources.pods, name }),
    readEvents(remote),
    readNodes(remote),
    nowThere(remote)
  ])
  const node = nodes.find(({ metadata }) => metadata.name === pod.spec.nodeName)
  return { pod, events, node, nowMillis }
}

const pod: Ask = async (remote, [name = ""]) => {
  const seen = await readPod(remote, name)
  return { kind: "pod", object: seen.pod, explained: explainPod(seen), nowMillis: seen.nowMillis }
}

const container: Ask = async (remote, [name = "", of = ""]) => {
  const seen = await readPod(remote, name)
  const names = containerNames(seen.pod)
  if (!names.includes(of)) {
    throw new Error(
      `Pod ${JSON.stringify(name)} has no container ${JSON.stringify(of)}, only ${names.join(", ")}`
    )
  }
  const explained = explainContainer({ ...seen, name: of })
  return { kind: "pod", object: seen.pod, explained, nowMillis: seen.nowMillis }
}

const node: Ask = async (remote, [name = ""]) => {
  const [object, listed, nowMillis] = await allInOrder([
    remote.get({ resource: resources.nodes, name }),
    remote.list(resources.pods),
    nowThere(remote)
  ])
  const pods = [...listed.items].filter(({ spec }) => spec.nodeName === name)
  return { kind: "node", object, explained: explainNode({ node: object, pods, nowMillis }), nowMillis }
}

const asks: ReadonlyArray<{ readonly words: RegExp; readonly names: number; readonly ask: Ask }> = [
  { words: /^(?:deployments?|deploy)(?:(?:\.v1)?\.apps)?$/iu, names: 1, ask: rollout },
  { words: /^(?:replicasets?|rs)(?:(?:\.v1)?\.apps)?$/iu, names: 1, ask: replicaSet },
  { words: /^(?:pods?|po)$/iu, names: 1, ask: pod },
  { words: /^containers?$/iu, names: 2, ask: container },
  { words: /^(?:nodes?|no)$/iu, names: 1, ask: node }
]
