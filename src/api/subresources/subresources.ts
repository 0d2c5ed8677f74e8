import { resources } from "../../domain/kinds.ts"
import { get } from "../verbs/read.ts"
import { patch } from "../verbs/patch.ts"
import { update } from "../verbs/write.ts"
import { bind } from "./binding.ts"
import { evict } from "./eviction.ts"
import { finalize } from "./finalize.ts"
import { log } from "./log.ts"
import { getScale, patchScale, updateScale } from "./scale.ts"
import { refusal } from "../statuses.ts"
import type { Verb } from "../call.ts"
import type { ServedTarget } from "../target.ts"

type Verbs = Readonly<Partial<Record<string, Verb>>>

/** Verbs of `status` and `approval`: the store takes only that part from the body. */
const partVerbs: Verbs = { get, update, patch }
const scaleVerbs: Verbs = { get: getScale, update: updateScale, patch: patchScale }

const bySubresource: Readonly<Record<string, Verbs>> = {
  [`${resources.deployments}/scale`]: scaleVerbs,
  [`${resources.replicaSets}/scale`]: scaleVerbs,
  "statefulsets.apps/scale": scaleVerbs,
  "replicationcontrollers/scale": scaleVerbs,
  [`${resources.certificateRequests}/approval`]: partVerbs,
  [`${resources.pods}/log`]: { get: log },
  [`${resources.pods}/binding`]: { create: bind },
  [`${resources.pods}/eviction`]: { create: evict },
  [`${resources.namespaces}/finalize`]: { update: finalize }
}

const customScale = ({ custom }: ServedTarget["kind"]): Verbs | undefined =>
  custom?.scale === undefined ? undefined : scaleVerbs

/** Subresources of Pods that would need a running process. */
const processSubresources: ReadonlySet<string> = new Set(["attach", "exec", "portforward", "proxy"])

const noProcess = (name: string) =>
  refusal(501, "", `pod ${JSON.stringify(name)} is simulated: nothing runs in it that could answer`)

export const subresourceVerb = (target: ServedTarget, verb: string): Verb | "notAllowed" | undefined => {
  const { kind, resource, subresource = "", name } = target
  if (name !== undefined && resource === resources.pods && processSubresources.has(subresource))
    throw noProcess(name)
  if (name === undefined || !kind.subresources.some((it) => it.name === subresource)) return undefined
  const verbs =
    subresource === "status" ? partVerbs : (bySubresource[`${resource}/${subresource}`] ?? customScale(kind))
  return verbs === undefined ? undefined : (verbs[verb] ?? "notAllowed")
}
