import { ActionsView } from "./actionsView.tsx"
import { ChartView } from "./chartView.tsx"
import { ExplanationView } from "./explanationView.tsx"
import { followSteps, noSteps } from "./steps.ts"
import { keep, useKept } from "./kept.ts"
import { placeHash } from "./place.ts"
import { StepView } from "./stepView.tsx"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { useWorld } from "./world.ts"
import type { Deployment, KubeObject, Pod } from "../domain/objects.ts"
import type { Fleet } from "./fleet.ts"
import type { Place } from "./place.ts"
import type { Steps } from "./steps.ts"

const stepsShownMax = 40

/** One object: its statechart with what is active, and why it did what it did. Made anew for each object. */
export const ObjectView = ({ place }: { readonly place: Place }) => {
  const { connection, fleet, go } = useWorld()
  const [told] = useState(() => keep<Steps>(noSteps))
  const { steps, standing, refused } = useKept(told)
  const [chosen, choose] = useState<number | undefined>(undefined)
  const seen = useKept(fleet)
  const present = objectAt(seen, place)
  const last = useRef<KubeObject>(undefined)
  if (present !== undefined) last.current = present

  useEffect(() => {
    const looking = new AbortController()
    void followSteps(connection, place, looking.signal, told)
    return () => looking.abort()
  }, [connection, place, told])

  const object = present ?? last.current
  const isGone = last.current !== undefined && present === undefined
  const shown = steps.find(({ number }) => number === chosen) ?? steps.at(-1)
  const chart = shown?.chart ?? standing?.chart
  const lit = useMemo(
    () =>
      chart === undefined
        ? undefined
        : { chart, states: shown?.to ?? standing?.states ?? [], taken: shown?.taken ?? [] },
    [chart, shown, standing]
  )
  return (
    <article class="object" data-object={`${place.kind}/${place.name}`}>
      <header>
        <h2>
          <span class="kind">{place.kind}</span> {place.name}
        </h2>
        <button type="button" class="close" aria-label="Close (Escape)" onClick={() => go(undefined)}>
          ✕
        </button>
      </header>
      {isGone && (
        <p class="notice" role="status" data-testid="gone">
          This {place.kind} is gone. What is shown is how it was at the last.
        </p>
      )}
      {refused !== undefined && steps.length === 0 && (
        <p class="notice" role="status" data-testid="unknown">
          {refused}
        </p>
      )}
      {place.kind === "Deployment" && object !== undefined && (
        <ExplanationView deployment={object as Deployment} />
      )}
      {!isGone && <ActionsView place={place} object={present} />}
      {place.kind === "Pod" && object !== undefined && <Containers pod={object as Pod} />}
      <div class="sides">
        {lit !== undefined && <ChartView lit={lit} />}
        <section class="why" aria-label="Why">
          <h3>
            Why
            {chosen !== undefined && (
              <button type="button" onClick={() => choose(undefined)}>
                back to now
              </button>
            )}
          </h3>
          {steps.length === 0 && refused === undefined && (
            <p class="quiet">It has made no step since it is watched. What it does next is told here.</p>
          )}
          <ol class="steps">
            {steps
              .slice(-stepsShownMax)
              .toReversed()
              .map((step) => (
                <StepView key={step.number} step={step} isShown={step === shown} choose={choose} />
              ))}
          </ol>
        </section>
      </div>
    </article>
  )
}

/** Undefined for what is not there, and for what the page keeps no list of. */
const objectAt = (
  { deployments, replicaSets, pods }: Fleet,
  { kind, namespace, name }: Place
): KubeObject | undefined => {
  const within: Readonly<Partial<Record<string, ReadonlyMap<string, KubeObject>>>> = {
    Deployment: deployments,
    ReplicaSet: replicaSets,
    Pod: pods,
    Container: pods
  }
  const [wanted] = kind === "Container" ? name.split("/") : [name]
  for (const object of within[kind]?.values() ?? []) {
    if (object.metadata.name === wanted && object.metadata.namespace === namespace) return object
  }
  return undefined
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
