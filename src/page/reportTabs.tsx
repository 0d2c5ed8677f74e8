import { useEffect, useState } from "preact/hooks"
import { useSignal } from "./useSignal.ts"
import { usePageState } from "./pageState.ts"

const report = document.getElementById("report")

export const ReportTabs = () => {
  const { selected, moment } = usePageState()
  const [isReport, setReport] = useState(selected.get() === undefined && moment.get() === undefined)
  const selectedAddress = useSignal(selected)
  useEffect(() => {
    if (selectedAddress !== undefined) setReport(false)
  }, [selectedAddress])
  useEffect(() => {
    if (report !== null) document.body.dataset["tab"] = isReport ? "report" : "watch"
  }, [isReport])
  if (report === null) return null
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
