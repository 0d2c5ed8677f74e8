import { ActionsView } from "./actionsView.tsx"
import { ChartView } from "./chart/chartView.tsx"
import { ForecastView } from "../forecast/forecastView.tsx"
import { EventsView } from "./eventsView.tsx"
import { ExplanationView } from "./explanationView.tsx"
import { absenceText } from "./absenceText.ts"
import { addressHash } from "../pageAddress.ts"
import { hasPreview, previewConnection } from "./previewConnection.ts"
import { PreviewContext } from "../useAction.ts"
import { useMemo } from "preact/hooks"
import { useShownActor } from "./useShownActor.ts"
import { useSignal } from "../useSignal.ts"
import { usePageState } from "../pageState.ts"
import { SmallChartView } from "./chart/smallChartView.tsx"
import { SteeringActions, SteeringView } from "./steeringView.tsx"
import { isJobFinished } from "../../kubernetes/batch/jobs/jobState.ts"
import { isSteered } from "../../kubernetes/steering/steeringRecord.ts"
import { VerdictView } from "./verdictView.tsx"
import { WhyView } from "./whyView.tsx"
import type { ComponentChildren, ComponentProps } from "preact"
import type { ServerConnection } from "../source/connection.ts"
import type { Job } from "../../kubernetes/batch/jobs/jobTypes.ts"
import type { Deployment, Pod } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"

export const ObjectView = ({ address }: { readonly address: PageAddress }) => {
  const { connection, source, history, redrawCount, moment, select, shownMillis } = usePageState()
  const { steps, shownStep, highlight, unknownActorMessage } = useShownActor(address)
  useSignal(redrawCount)
  const shownMoment = useSignal(moment)
  const isLive = useSignal(source)?.type === "live"
  const shownHistory = history.get()
  const lastKnown = shownHistory.lastKnownOf(address, shownMoment)
  const exists = lastKnown?.exists === true
  // Only what exists in a running cluster can be changed.
  const liveConnection = isLive && exists ? connection : undefined
  return (
    <article class="object" data-object={`${address.kind}/${address.name}`}>
      <header>
        <h2>
          <span class="kind">{address.kind}</span> {address.name}
        </h2>
        <button type="button" class="close" aria-label="Close" onClick={() => select(undefined)}>
          ✕
        </button>
      </header>
      {!exists && shownHistory.header !== undefined && (
        <p class="notice" role="status" data-testid={lastKnown === undefined ? "unknown" : "gone"}>
          {absenceText(address, {
            history: shownHistory,
            moment: shownMoment,
            millis: shownMillis(),
            unknownActorMessage
          })}
        </p>
      )}
      {exists && <VerdictView object={lastKnown.object} />}
      <div class="chart-and-forecast">
        {highlight !== undefined && <SmallChartView highlight={highlight} step={shownStep} />}
        {exists && <ForecastView address={address} />}
      </div>
      {exists && <ExplanationView address={address} object={lastKnown.object} />}
      {exists && address.kind === "Deployment" && isSteered(lastKnown.object) && (
        <SteeringView deployment={lastKnown.object as Deployment}>
          {liveConnection !== undefined && (
            <ActionsFieldset connection={liveConnection} isPast={shownMoment !== undefined}>
              <SteeringActions connection={liveConnection} deployment={lastKnown.object as Deployment} />
            </ActionsFieldset>
          )}
        </SteeringView>
      )}
      {liveConnection !== undefined && (
        <ActionsFieldset connection={liveConnection} isPast={shownMoment !== undefined}>
          <PreviewedActions connection={liveConnection} address={address} object={lastKnown?.object} />
        </ActionsFieldset>
      )}
      {address.kind === "Pod" && lastKnown !== undefined && <Containers pod={lastKnown.object as Pod} />}
      <div class="chart-and-steps">
        {highlight !== undefined && <ChartView highlight={highlight} step={shownStep} />}
        <WhyView steps={steps} shownStep={shownStep} />
      </div>
      {lastKnown !== undefined && <EventsView uid={lastKnown.object.metadata.uid} />}
    </article>
  )
}

const PreviewedActions = (props: ComponentProps<typeof ActionsView>) => {
  const { connection, address, object } = props
  const state = usePageState()
  const { previewsActions } = state
  const isPreview = useSignal(previewsActions) && hasPreview(address)
  const preview = useMemo(
    () =>
      isPreview
        ? previewConnection(connection, address, { fleet: state.fleet.get, millis: state.shownMillis })
        : undefined,
    [isPreview, connection, address, state]
  )
  return (
    <PreviewContext.Provider value={preview}>
      <ActionsView {...props} connection={preview ?? connection} />
      {hasPreview(address) && !(address.kind === "Job" && isJobFinished(object as Job)) && (
        <label class="quiet">
          <input
            type="checkbox"
            checked={isPreview}
            onChange={({ currentTarget }) => previewsActions.set(currentTarget.checked)}
          />{" "}
          only say what would happen
        </label>
      )}
    </PreviewContext.Provider>
  )
}

interface ActionsFieldsetProps {
  readonly connection: ServerConnection
  readonly isPast: boolean
  readonly children: ComponentChildren
}

const ActionsFieldset = ({ connection, isPast, children }: ActionsFieldsetProps) => {
  const { state } = useSignal(connection.status)
  return (
    <fieldset class="action-fieldset" disabled={isPast || state !== "live"}>
      {children}
      {isPast && (
        <p class="quiet" data-testid="past">
          This is a past moment. Actions change the cluster as it is now: go back to now to use them.
        </p>
      )}
    </fieldset>
  )
}

const Containers = ({ pod }: { readonly pod: Pod }) => {
  const { name, namespace = "" } = pod.metadata
  const { nodeName = "" } = pod.spec
  const containers = [...(pod.spec.initContainers ?? []), ...(pod.spec.containers ?? [])]
  return (
    <p class="pod-links">
      {containers.map((container) => (
        <a
          key={container.name}
          data-arrow-keys
          href={addressHash({ kind: "Container", namespace, name: `${name}/${container.name}` })}
        >
          container {container.name} <span class="image">{container.image}</span>
        </a>
      ))}
      {nodeName !== "" && (
        <a data-arrow-keys href={addressHash({ kind: "Node", namespace: "", name: nodeName })}>
          node {nodeName}
        </a>
      )}
    </p>
  )
}
