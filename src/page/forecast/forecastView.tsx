import {
  clockRangeOfSeedsText,
  changeOutcomeText,
  forecastSentence,
  skippedSeedsAndCuresText,
  milestoneText
} from "../../forecast/forecastText.ts"
import { clockText } from "../source/clusterTime.ts"
import { useAction } from "../useAction.ts"
import { useFollowedForecast } from "./useFollowedForecast.ts"
import { useCaughtUp } from "../source/useCaughtUp.ts"
import { usePageState } from "../pageState.ts"
import { useSignal } from "../useSignal.ts"
import type { CureOutcome, Forecast } from "../../forecast/forecast.ts"
import type { PageAddress } from "../pageAddress.ts"
import type { ServerConnection } from "../source/connection.ts"

/** Crashing Pods have many milestones. */
const milestonesMax = 7

export const ForecastView = ({ address }: { readonly address: PageAddress }) => {
  const { connection, shownMillis, clusterTime } = usePageState()
  const isCaughtUp = useCaughtUp()
  const followedForecast = useFollowedForecast(address)
  // The text counts down.
  useSignal(clusterTime)
  if (connection === undefined || followedForecast === undefined || !isCaughtUp) return null
  const { forecast, problem } = followedForecast
  if (forecast === undefined && problem === undefined) {
    return (
      <section class="forecast" aria-label="What happens next" data-testid="awaited-forecast">
        <h3>What happens next</h3>
        <p class="quiet">It is being looked up in a copy of the cluster.</p>
      </section>
    )
  }
  if (forecast === undefined) {
    return (
      <p class="quiet" data-testid="forecast-problem">
        What happens next cannot be looked up: {problem}
      </p>
    )
  }
  const nowMillis = Math.max(forecast.nowMillis, shownMillis())
  const coming = forecast.future.milestones.filter(({ millis }) => millis > nowMillis)
  const skippedText = skippedSeedsAndCuresText(forecast)
  return (
    <section class="forecast" aria-label="What happens next" data-testid="forecast">
      <h3>What happens next</h3>
      <p class="first">{forecastSentence(forecast, nowMillis)}</p>
      {forecast.cures.length > 0 && (
        <ul class="cures" aria-label="What may help">
          {forecast.cures.map((outcome) => (
            <CureView key={outcome.cure.id} connection={connection} forecast={forecast} outcome={outcome} />
          ))}
        </ul>
      )}
      {coming.length > 0 && (
        <ol>
          {coming.slice(0, milestonesMax).map((milestone) => (
            <li key={`${milestone.kind} ${milestone.node ?? ""} ${milestone.millis}`}>
              <time>{clockText(milestone.millis)}</time> {milestoneText(milestone)}
              <span class="quiet">{clockRangeOfSeedsText(milestone, forecast, clockText)}</span>
            </li>
          ))}
          {coming.length > milestonesMax && (
            <li class="quiet">and so on: {coming.length - milestonesMax} more</li>
          )}
        </ol>
      )}
      {skippedText !== "" && <p class="quiet">{skippedText}</p>}
      {problem !== undefined && <p class="quiet">The last look ahead failed: {problem}</p>}
    </section>
  )
}

interface CureProps {
  readonly connection: ServerConnection
  readonly forecast: Forecast
  readonly outcome: CureOutcome
}

/** A cure without a request is no button: the user has to carry it out. */
const CureView = ({ connection, forecast, outcome }: CureProps) => {
  const runAction = useAction()
  const { title, request, followUp, command } = outcome.cure
  const send = async (): Promise<string> => {
    for (const { method, path, body, contentType } of [request, followUp].filter((it) => it !== undefined)) {
      const type = contentType === undefined ? {} : { contentType }
      await connection.request(method, path, { body, ...type })
    }
    return `${title}: the server has accepted it`
  }
  return (
    <li>
      {request === undefined ? (
        <b title={command}>{title}</b>
      ) : (
        <button type="button" title={command} onClick={() => runAction(send())}>
          {title}
        </button>
      )}{" "}
      {changeOutcomeText(outcome, forecast)}
    </li>
  )
}
