import { ActionsView } from "./actionsView.tsx"
import { ChartView } from "./chartView.tsx"
import { EventsView } from "./eventsView.tsx"
import { ExplanationView } from "./explanationView.tsx"
import { absenceText } from "./absence.ts"
import { placeHash } from "../place.ts"
import { useFollowedSteps } from "./followedSteps.ts"
import { useKept } from "../useKept.ts"
import { useMemo } from "preact/hooks"
import { useWorld } from "../world.ts"
import { WhyView } from "./whyView.tsx"
import type { ComponentChildren } from "preact"
import type { Connection } from "../source/connection.ts"
import type { Pod } from "../../kubernetes/meta/objects.ts"
import type { Place } from "../place.ts"

/** One object: its statechart with what is active, and why it did what it did. Made anew for each object. */
export const ObjectView = ({ place }: { readonly place: Place }) => {
  const { connection, source, history, known, moment, go, millis } = useWorld()
  const { standing, refused } = useFollowedSteps(place)
  useKept(known)
  const chosen = useKept(moment)
  const isLiving = useKept(source)?.type === "living"
  const told = history.get()
  const last = told.lastOf(place, chosen)
  const steps = told.stepsOf(place)
  const shown = steps.findLast(({ number }) => number <= (chosen ?? Infinity))?.step
  // What is known of it now says nothing of what was.
  const first = chosen === undefined ? standing : undefined
  const chart = shown?.chart ?? first?.chart
  const lit = useMemo(
    () =>
      chart === undefined
        ? undefined
        : { chart, states: shown?.to ?? first?.states ?? [], taken: shown?.taken ?? [] },
    [chart, shown, first]
  )
  const isThere = last?.isThere === true
  return (
    <article class="object" data-object={`${place.kind}/${place.name}`}>
      <header>
        <h2>
          <span class="kind">{place.kind}</span> {place.name}
        </h2>
        <button type="button" class="close" aria-label="Close" onClick={() => go(undefined)}>
          ✕
        </button>
      </header>
      {!isThere && told.header !== undefined && (
        <p class="notice" role="status" data-testid={last === undefined ? "unknown" : "gone"}>
          {absenceText(place, { told, moment: chosen, millis: millis(), refused })}
        </p>
      )}
      {isThere && <ExplanationView place={place} object={last.object} />}
      {isLiving && connection !== undefined && isThere && (
        <Acting connection={connection} isPast={chosen !== undefined}>
          <ActionsView connection={connection} place={place} object={last.object} />
        </Acting>
      )}
      {place.kind === "Pod" && last !== undefined && <Containers pod={last.object as Pod} />}
      <div class="sides">
        {lit !== undefined && <ChartView lit={lit} />}
        <WhyView steps={steps} shown={shown} />
      </div>
      {last !== undefined && <EventsView uid={last.object.metadata.uid} />}
    </article>
  )
}

interface ActingProps {
  readonly connection: Connection
  readonly isPast: boolean
  readonly children: ComponentChildren
}

/** What can be done to it: nothing to what was, and nothing where nobody answers. */
const Acting = ({ connection, isPast, children }: ActingProps) => {
  const { state } = useKept(connection.standing)
  return (
    <fieldset class="acting" disabled={isPast || state !== "live"}>
      {children}
      {isPast && (
        <p class="quiet" data-testid="past">
          This is how it was. What can be done is done to what is there now: go back to now for it.
        </p>
      )}
    </fieldset>
  )
}

/** A Pod's containers and its node have charts of their own. */
const Containers = ({ pod }: { readonly pod: Pod }) => {
  const { name, namespace = "" } = pod.metadata
  const { nodeName = "" } = pod.spec
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]
  return (
    <p class="parts">
      {containers.map((container) => (
        <a
          key={container.name}
          data-nav
          href={placeHash({ kind: "Container", namespace, name: `${name}/${container.name}` })}
        >
          container {container.name} <span class="image">{container.image}</span>
        </a>
      ))}
      {nodeName !== "" && (
        <a data-nav href={placeHash({ kind: "Node", namespace: "", name: nodeName })}>
          node {nodeName}
        </a>
      )}
    </p>
  )
}
