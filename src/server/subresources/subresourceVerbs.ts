import { resources } from "../../kubernetes/meta/kinds.ts"
import { getVerb } from "../verbs/readVerbs.ts"
import { patchVerb } from "../verbs/patchVerb.ts"
import { updateVerb } from "../verbs/createAndUpdateVerbs.ts"
import { bindVerb } from "./bindingVerbs.ts"
import { evictVerb } from "./evictionVerb.ts"
import { finalizeVerb } from "./finalizeVerb.ts"
import { logVerb } from "./logVerb.ts"
import { createTokenVerb } from "./tokenVerb.ts"
import { getScaleVerb, patchScaleVerb, updateScaleVerb } from "./scaleVerbs.ts"
import { makeRefusal, noReason } from "../http/statuses.ts"
import type { VerbHandler } from "../requests/apiCall.ts"
import type { ServedTarget } from "../http/requestTarget.ts"

type HandlerByVerb = Readonly<Partial<Record<string, VerbHandler>>>

/** The body is a whole object, of which the store takes only the subresource's part. */
const partialObjectVerbs: HandlerByVerb = { get: getVerb, update: updateVerb, patch: patchVerb }
const scaleVerbs: HandlerByVerb = { get: getScaleVerb, update: updateScaleVerb, patch: patchScaleVerb }

const verbsBySubresource: Readonly<Record<string, HandlerByVerb>> = {
  [`${resources.deployments}/scale`]: scaleVerbs,
  [`${resources.replicaSets}/scale`]: scaleVerbs,
  "statefulsets.apps/scale": scaleVerbs,
  "replicationcontrollers/scale": scaleVerbs,
  [`${resources.certificateRequests}/approval`]: partialObjectVerbs,
  [`${resources.pods}/ephemeralcontainers`]: partialObjectVerbs,
  [`${resources.pods}/resize`]: partialObjectVerbs,
  [`${resources.pods}/log`]: { get: logVerb },
  [`${resources.pods}/binding`]: { create: bindVerb },
  [`${resources.pods}/eviction`]: { create: evictVerb },
  [`${resources.serviceAccounts}/token`]: { create: createTokenVerb },
  [`${resources.namespaces}/finalize`]: { update: finalizeVerb }
}

const customScaleVerbs = ({ custom }: ServedTarget["kind"]): HandlerByVerb | undefined =>
  custom?.scale === undefined ? undefined : scaleVerbs

/** Subresources that would need a running process. */
const processSubresources: ReadonlySet<string> = new Set(["attach", "exec", "portforward", "proxy"])

const noProcessRefusal = (name: string) =>
  makeRefusal(501, noReason, `pod ${JSON.stringify(name)} is simulated: nothing runs in it that could answer`)

/** `notAllowed`: the subresource does not have this verb; undefined: the resource has no such subresource. */
export const subresourceVerb = (
  target: ServedTarget,
  verb: string
): VerbHandler | "notAllowed" | undefined => {
  const { kind, resource, subresource = "", name } = target
  if (name !== undefined && resource === resources.pods && processSubresources.has(subresource))
    throw noProcessRefusal(name)
  if (name === undefined || !kind.subresources.some((it) => it.name === subresource)) return undefined
  const verbs =
    subresource === "status"
      ? partialObjectVerbs
      : (verbsBySubresource[`${resource}/${subresource}`] ?? customScaleVerbs(kind))
  return verbs === undefined ? undefined : (verbs[verb] ?? "notAllowed")
}
