import { workloadsAmong } from "../workloads.ts"
import { parseAssumptions, parseDelay } from "../assumptions.ts"
import { parseDuration } from "../../kubernetes/meta/amounts/durations.ts"
import { readManifestObjects } from "../../manifests/readManifests.ts"
import { withSpec } from "../previous/previousDocuments.ts"
import { hasReplicas, workloadsNamed } from "./chooseWorkloads.ts"
import type { Behaviour, Delay } from "../../behaviours/behaviour.ts"
import type { ManifestDocument } from "../../manifests/manifestDocument.ts"
import type { PlanSettings } from "./settingsSchema.ts"
import type { PlanInput } from "../seeds/playSeed.ts"
import type { TrafficOptions } from "../../scenario/ledger/services/serviceTraffic.ts"

type Environment = NonNullable<PlanSettings["environments"]>[number]

/** A container gets the first behaviour that matches it. */
export const assumedBehaviours = ({ assumptions = [] }: PlanSettings): ReadonlyArray<Behaviour> =>
  assumptions.map(({ image, stop, crash, pull, start, ready }, index) => {
    const crashing = crash === undefined ? undefined : parseAssumptions(`crash=${crash}`)
    const exit = crashing?.ok === true ? crashing.value.behaviour?.exit : undefined
    return {
      name: `assumption-${index + 1}`,
      match: { image },
      ...(start === undefined ? {} : { start: toDelay(start) }),
      ...(ready === undefined ? {} : { ready: toDelay(ready) }),
      ...(stop === undefined ? {} : { terminate: toDelay(stop) }),
      ...(pull === undefined ? {} : { pull: { delay: toDelay(pull) } }),
      ...(exit === undefined ? {} : { exit })
    }
  })

/** Reading the settings has refused texts that are no delay. */
const toDelay = (text: string): Delay => {
  const delay = parseDelay(text)
  return typeof delay === "object" && "problem" in delay ? text : delay
}

export const assumedTraffic = ({ traffic = {} }: PlanSettings): Partial<TrafficOptions> => {
  const { requests, propagation } = traffic
  return {
    ...(requests === undefined ? {} : { requestsPerSecond: requests }),
    ...(propagation === undefined ? {} : { propagationMillis: parseDuration(propagation) ?? 0 })
  }
}

export const inputForEnvironment = <W extends Pick<PlanInput, "from" | "next">>(
  input: W,
  { quotas = [], replicas = {} }: Environment
): W => {
  const resize = (documents: ReadonlyArray<ManifestDocument>) => withReplicas(documents, replicas)
  const from = [...quotaDocuments(quotas), ...resize(input.from ?? [])]
  return { ...input, next: resize(input.next), ...(from.length === 0 ? {} : { from }) }
}

const withReplicas = (
  documents: ReadonlyArray<ManifestDocument>,
  replicas: NonNullable<Environment["replicas"]>
): ReadonlyArray<ManifestDocument> => {
  const counts = new Map(
    Object.entries(replicas).flatMap(([name, count]) =>
      workloadsNamed(documents, name).map((id) => [id, count] as const)
    )
  )
  return documents.map((document) => {
    if (!hasReplicas(document)) return document
    const [{ id } = { id: "" }] = workloadsAmong([document])
    const count = counts.get(id)
    return count === undefined ? document : withSpec(document, (spec) => ({ ...spec, replicas: count }))
  })
}

const quotaDocuments = (quotas: NonNullable<Environment["quotas"]>): ReadonlyArray<ManifestDocument> =>
  readManifestObjects(
    quotas.map(({ namespace = "default", hard }, index) => ({
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { name: `quota-${index + 1}`, namespace },
      spec: { hard }
    }))
  ).documents
