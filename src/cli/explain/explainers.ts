import { controllerOf } from "../../kubernetes/meta/ownerReferences.ts"
import { explainContainer, explainPod } from "../../explain/objects/explainPod.ts"
import { containerNames } from "../../explain/objects/containerProblems.ts"
import { explainNode } from "../../explain/objects/explainNode.ts"
import { explainReplicaSet } from "../../explain/objects/explainReplicaSet.ts"
import { explainRollout } from "../../explain/objects/explainRollout.ts"
import { remoteNowMillis, readEvents, readNodes, readRolloutObservation } from "../remote/remoteRollout.ts"
import { resources } from "../../kubernetes/meta/kinds.ts"
import { awaitInOrder } from "../../client/awaitInOrder.ts"
import type { KubeObject } from "../../kubernetes/meta/objects.ts"
import type { StateExplanation } from "../../explain/objects/stateExplanation.ts"
import type { RemoteCluster } from "../../client/remoteCluster.ts"

export interface ObjectExplanation {
  readonly kind: string
  readonly object: KubeObject
  readonly explained: StateExplanation
  readonly nowMillis: number
}

type Explain = (remote: RemoteCluster, names: ReadonlyArray<string>) => Promise<ObjectExplanation>

/**
 * Parses `KIND/NAME`, or the name of a Deployment. Returns a function that reads the object and explains it;
 * undefined for other texts.
 */
export const explainerFor = (
  object: string
): ((remote: RemoteCluster) => Promise<ObjectExplanation>) | undefined => {
  const parts = object.split("/")
  if (parts.some((it) => it === "")) return undefined
  const [kind, ...names] = parts.length === 1 ? ["deployment", ...parts] : parts
  const explainedKind = explainedKinds.find(({ words }) => words.test(kind ?? ""))
  if (explainedKind === undefined || names.length !== explainedKind.names) return undefined
  return (remote) => explainedKind.ask(remote, names)
}

const explainDeploymentByName: Explain = async (remote, [name = ""]) => {
  const seen = await readRolloutObservation(remote, name)
  const explanation = explainRollout(seen)
  const explained = { ...explanation, isWell: explanation.state === "complete" }
  return { kind: "deployment", object: seen.deployment, explained, nowMillis: seen.nowMillis }
}

const explainReplicaSetByName: Explain = async (remote, [name = ""]) => {
  const object = await remote.get({ resource: resources.replicaSets, name })
  const [listed, events, nodes, nowMillis] = await awaitInOrder([
    remote.list(resources.pods, { namespace: remote.namespace, labelSelector: object.spec.selector }),
    readEvents(remote),
    readNodes(remote),
    remoteNowMillis(remote)
  ])
  const pods = [...listed.items].filter((it) => controllerOf(it)?.uid === object.metadata.uid)
  const explained = explainReplicaSet({ replicaSet: object, pods, events, nodes, nowMillis })
  return { kind: "replicaSet", object, explained, nowMillis }
}

const readPod = async (remote: RemoteCluster, name: string) => {
  const [explainPodByName, events, nodes, nowMillis] = await awaitInOrder([
    remote.get({ resource: resources.pods, name }),
    readEvents(remote),
    readNodes(remote),
    remoteNowMillis(remote)
  ])
  const explainNodeByName = nodes.find(({ metadata }) => metadata.name === explainPodByName.spec.nodeName)
  return { pod: explainPodByName, events, node: explainNodeByName, nowMillis }
}

const explainPodByName: Explain = async (remote, [name = ""]) => {
  const seen = await readPod(remote, name)
  return { kind: "pod", object: seen.pod, explained: explainPod(seen), nowMillis: seen.nowMillis }
}

const explainContainerByName: Explain = async (remote, [name = "", containerName = ""]) => {
  const seen = await readPod(remote, name)
  const names = containerNames(seen.pod)
  if (!names.includes(containerName)) {
    throw new Error(
      `Pod ${JSON.stringify(name)} has no container ${JSON.stringify(containerName)}, only ${names.join(", ")}`
    )
  }
  const explained = explainContainer({ ...seen, name: containerName })
  return { kind: "pod", object: seen.pod, explained, nowMillis: seen.nowMillis }
}

const explainNodeByName: Explain = async (remote, [name = ""]) => {
  const [object, listed, nowMillis] = await awaitInOrder([
    remote.get({ resource: resources.nodes, name }),
    remote.list(resources.pods),
    remoteNowMillis(remote)
  ])
  const pods = [...listed.items].filter(({ spec }) => spec.nodeName === name)
  return { kind: "node", object, explained: explainNode({ node: object, pods, nowMillis }), nowMillis }
}

const explainedKinds: ReadonlyArray<{
  readonly words: RegExp
  readonly names: number
  readonly ask: Explain
}> = [
  { words: /^(?:deployments?|deploy)(?:(?:\.v1)?\.apps)?$/iu, names: 1, ask: explainDeploymentByName },
  { words: /^(?:replicasets?|rs)(?:(?:\.v1)?\.apps)?$/iu, names: 1, ask: explainReplicaSetByName },
  { words: /^(?:pods?|po)$/iu, names: 1, ask: explainPodByName },
  { words: /^containers?$/iu, names: 2, ask: explainContainerByName },
  { words: /^(?:nodes?|no)$/iu, names: 1, ask: explainNodeByName }
]
