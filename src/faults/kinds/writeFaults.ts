import * as Effect from "effect/Effect"
import { groupResourceOf } from "../../kubernetes/meta/kinds.ts"
import { findKindByName, unknownResourceMessage } from "../../kubernetes/meta/resourceNames.ts"
import { countText } from "../../kubernetes/meta/text/countText.ts"
import { toDurationMillis } from "../../kubernetes/meta/amounts/durations.ts"
import { lastingKind } from "../faultKind.ts"
import { FaultRefused } from "../faultRefused.ts"
import { beginOnEach, connectionsOf, excuseOfLateView } from "./connectionsOf.ts"
import { partyText } from "./partyText.ts"
import type { GroupResource } from "../../kubernetes/meta/kinds.ts"
import type { FaultKinds, FaultNamed, FaultContext } from "../faultKind.ts"
import type { WriteVerb } from "../schemas/faultFields.ts"
import type { WriteFaultTypes } from "../schemas/writeFaultSchemas.ts"

/** `meant`: the affected resource; undefined for all. `refused`: writes so far. `left`: refusals until the fault ends. */
interface RefusalState {
  readonly meant: GroupResource | undefined
  readonly refused: number
  readonly left: number
}

interface DelayState {
  /** Delayed writes so far. */
  readonly slowed: number
}

const beginRefusals = (
  { fault, of, code, resource, verb, times = Infinity }: FaultNamed<"writesRefused">,
  context: FaultContext
): Effect.Effect<RefusalState, FaultRefused> => {
  const refuse = (why: string) => Effect.fail(new FaultRefused({ fault, why }))
  if (of === "clients" && verb === "create" && code === 409) {
    return refuse(
      "what a client creates is not refused with 409 Conflict: say update, patch, delete or status"
    )
  }
  const kind = resource === undefined ? undefined : findKindByName(resource, context.view.kinds)
  if (resource !== undefined && kind === undefined) {
    return refuse(unknownResourceMessage(resource, context.view.kinds))
  }
  return Effect.succeed({ meant: kind && groupResourceOf(kind), refused: 0, left: times })
}

/**
 * A binding counts as the `create` of a Pod, a controller's `modify` as a `patch`. Writes of Events are never
 * affected.
 */
export const writeFaults: FaultKinds<keyof WriteFaultTypes> = {
  writesRefused: lastingKind({
    text: (fault) => {
      const { of, code, times } = fault
      const often = times === undefined ? "" : ` (${countText(times, "time")})`
      const outcome = code === 504 ? "carried out and answered with" : "refused with"
      return `${writesText(fault)} ${partyText(of)} are ${outcome} ${code}${often}`
    },
    affects: "writes",
    // After a 504 the write may have been carried out; a 429 delays it.
    ledgerExcuse: ({ of, code }) =>
      of === "clients"
        ? undefined
        : { controller: of, areAnswersLost: code === 504, isViewLate: code === 429 },
    begin: beginRefusals,
    makeLasting: (fault, context, { meant: affectedResource, ...saved }) => {
      let { refused, left } = saved
      const { end } = beginOnEach(connectionsOf(fault.of, context), ({ faultyStore }) =>
        faultyStore.refuseWrites({
          code: fault.code,
          matches: ({ resource, verb }) =>
            (affectedResource === undefined || resource === affectedResource) &&
            (fault.verb === undefined || verb === fault.verb),
          onRefused: () => {
            refused += 1
            left -= 1
            if (left === 0) context.endThisFault()
          }
        })
      )
      return {
        end,
        affectedCount: () => refused,
        save: (): RefusalState => ({ meant: affectedResource, refused, left })
      }
    }
  }),

  writesSlow: lastingKind({
    text: ({ of, by }) => `writes of ${partyText(of)} take ${by}`,
    affects: "writes",
    ledgerExcuse: excuseOfLateView,
    begin: () => Effect.succeed<DelayState>({ slowed: 0 }),
    makeLasting: ({ of, by }, context, saved) => {
      let { slowed } = saved
      const { end } = beginOnEach(connectionsOf(of, context), ({ faultyStore }) =>
        faultyStore.delayWrites(toDurationMillis(by, "by"), () => {
          slowed += 1
        })
      )
      return { end, affectedCount: () => slowed, save: (): DelayState => ({ slowed }) }
    }
  })
}

const verbTexts: Readonly<Record<WriteVerb, string>> = {
  create: "creations",
  update: "updates",
  patch: "patches",
  delete: "deletions",
  status: "status updates"
}

const writesText = ({ resource, verb }: FaultNamed<"writesRefused">): string => {
  const what = verb === undefined ? "writes" : verbTexts[verb]
  return resource === undefined ? `${what} of` : `${what} of ${resource} by`
}
