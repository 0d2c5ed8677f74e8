import type { LossCause } from "../scenario/ledger/services/serviceTraffic.ts"

export const lossCauseTexts: Readonly<Record<LossCause, string>> = {
  stopping: "sent to Pods that had stopped serving",
  starting: "sent to Pods that did not answer yet",
  failing: "sent to Pods that had failed",
  noEndpoint: "while there was no endpoint to send them to"
}

/** `unreachedServices`: Services that select or reach none of the new Pods. */
export const lostAfterRolloutText = (unreachedServices: ReadonlyArray<string>): string =>
  `all that is sent to ${unreachedServices.join(" and ")} afterwards`

export const withThousandsSeparators = (amount: number): string => amount.toLocaleString("en-US")
