import { useEffect, useState } from "preact/hooks"
import { useSignal } from "./useSignal.ts"
import { usePageState } from "./pageState.ts"

/** Only a page inside a report has this element. */
const reportElement = document.getElementById("report")

export const ReportTabs = () => {
  const { selected, moment } = usePageState()
  const [isReport, setReport] = useState(selected.get() === undefined && moment.get() === undefined)
  const selectedAddress = useSignal(selected)
  useEffect(() => {
    if (selectedAddress !== undefined) setReport(false)
  }, [selectedAddress])
  useEffect(() => {
    if (reportElement !== null) document.body.dataset["tab"] = isReport ? "report" : "watch"
  }, [isReport])
  if (reportElement === null) return null
  const tabButton = (text: string, isOfReport: boolean) => (
    <button
      type="button"
      role="tab"
      aria-selected={isReport === isOfReport}
      onClick={() => setReport(isOfReport)}
    >
      {text}
    </button>
  )
  return (
    <div class="tabs" role="tablist">
      {tabButton("The report", true)}
      {tabButton("Watch it", false)}
    </div>
  )
}
