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

/** What replaces or patches a part of an object: the store takes that part from the body and nothing else. */
const part: Verbs = { get, update, patch }
const scale: Verbs = { get: getScale, update: updateScale, patch: patchScale }

/** What is served below an object beside its status, by resource. */
const bySubresource: Readonly<Record<string, Verbs>> = {
  [`${resources.deployments}/scale`]: scale,
  [`${resources.replicaSets}/scale`]: scale,
  "statefulsets.apps/scale": scale,
  "replicationcontrollers/scale": scale,
  [`${resources.certificateRequests}/approval`]: part,
  [`${resources.pods}/log`]: { get: log },
  [`${resources.pods}/binding`]: { create: bind },
  [`${resources.pods}/eviction`]: { create: evict },
  [`${resources.namespaces}/finalize`]: { update: finalize }
}

/** What definitions may ask for beside a status. */
const customScale = ({ custom }: ServedTarget["kind"]): Verbs | undefined =>
  custom?.scale === undefined ? undefined : scale

/** What needs a process to talk to. */
const processes: ReadonlySet<string> = new Set(["attach", "exec", "portforward", "proxy"])

const noProcess = (name: string) =>
  refusal(501, "", `pod ${JSON.stringify(name)} is simulated: nothing runs in it that could answer`)

/** How a verb on a sub-resource is done; undefined where there is no such sub-resource. */
export const subresourceVerb = (target: ServedTarget, verb: string): Verb | "notAllowed" | undefined => {
  const { kind, resource, subresource = "", name } = target
  if (name !== undefined && resource === resources.pods && processes.has(subresource)) throw noProcess(name)
  if (name === undefined || !kind.subresources.some((it) => it.name === subresource)) return undefined
  const verbs =
    subresource === "status" ? part : (bySubresource[`${resource}/${subresource}`] ?? customScale(kind))
  return verbs === undefined ? undefined : (verbs[verb] ?? "notAllowed")
}
