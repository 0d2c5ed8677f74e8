import { addressHash } from "../pageAddress.ts"
import { annotateArgument, steeringRequests } from "../../kubernetes/steering/steeringRequests.ts"
import { explainSteering } from "../../explain/workloads/explainSteering.ts"
import { requestSteering } from "./actions.ts"
import { SmallChartView } from "./chart/smallChartView.tsx"
import { useAction } from "../useAction.ts"
import { useEditedField } from "./useEditedField.ts"
import { useMemo } from "preact/hooks"
import { useShownActor } from "./useShownActor.ts"
import type { ComponentChildren } from "preact"
import type { Deployment } from "../../kubernetes/meta/objects.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ServerConnection } from "../source/connection.ts"
import type { AnnotationRequest } from "../../kubernetes/steering/steeringRequests.ts"

interface SteeringProps {
  readonly deployment: Deployment
  readonly children: ComponentChildren
}

export const SteeringView = ({ deployment, children }: SteeringProps) => {
  const { namespace = "", name } = deployment.metadata
  const address = useMemo<PageAddress>(() => ({ kind: "Steering", namespace, name }), [namespace, name])
  const { highlight, shownStep } = useShownActor(address)
  const { state, isWell, sentences } = explainSteering(deployment)
  return (
    <section class="steering" aria-label="Steering" data-testid="steering" data-state-of-steering={state}>
      <h3>
        <a data-arrow-keys href={addressHash(address)} title="The whole chart, and why it is there">
          Steering
        </a>
      </h3>
      {sentences.map((sentence) => (
        <p key={sentence} class={isWell ? undefined : "problem"}>
          {sentence}
        </p>
      ))}
      {highlight !== undefined && <SmallChartView highlight={highlight} step={shownStep} />}
      {children}
    </section>
  )
}

interface ActionsProps {
  readonly connection: ServerConnection
  readonly deployment: Deployment
}

/** Offers only the requests that the steering would follow now. */
export const SteeringActions = ({ connection, deployment }: ActionsProps) => {
  const requests = steeringRequests(deployment)
  const abort = requests.find(({ id }) => id === "abort")
  if (abort === undefined) return null
  return (
    <div class="actions">
      {requests
        .filter((it) => it !== abort)
        .map((request) => (
          <RequestButton key={request.id} connection={connection} deployment={deployment} request={request} />
        ))}
      <AbortForm connection={connection} deployment={deployment} request={abort} />
    </div>
  )
}

interface RequestProps extends ActionsProps {
  readonly request: AnnotationRequest
}

const RequestButton = ({ connection, deployment, request }: RequestProps) => {
  const runAction = useAction()
  return (
    <button
      type="button"
      title={annotateText(deployment, request)}
      onClick={() => runAction(requestSteering(connection, deployment, request))}
    >
      {request.title}
    </button>
  )
}

const AbortForm = ({ connection, deployment, request }: RequestProps) => {
  const runAction = useAction()
  const reason = useEditedField("")
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        const abort = { ...request, value: reason.text }
        runAction(requestSteering(connection, deployment, abort), reason.clear)
      }}
    >
      <input
        aria-label="Reason"
        placeholder="reason"
        value={reason.text}
        onInput={({ currentTarget }) => reason.write(currentTarget.value)}
      />
      <button type="submit" title={annotateText(deployment, { ...request, value: "REASON" })}>
        {request.title}
      </button>
    </form>
  )
}

const annotateText = ({ metadata: { name } }: Deployment, request: AnnotationRequest): string =>
  `kubectl annotate deployment/${name} ${annotateArgument(request)}`
