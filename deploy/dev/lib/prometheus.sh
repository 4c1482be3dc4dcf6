# shellcheck shell=bash
# A private Prometheus with data under var/, which scrapes nodes once a second. The system's own is
# never touched. Sourced by ./dev. Another cluster has another one when VAR, RUN and LOG are set to
# folders of its own before these functions are called.

# write_prometheus_targets NAME=HOST:PORT…: the nodes, by the addresses of their admin listeners. A
# running Prometheus takes the new list by itself.
write_prometheus_targets() {
  local target list=
  for target in "$@"; do
    [[ -z $list ]] || list+=,
    list+=$(printf '\n  {"targets": ["%s"], "labels": {"node": "%s"}}' "${target#*=}" "${target%%=*}")
  done
  mkdir -p "$VAR/prometheus"
  printf '[%s\n]\n' "$list" >"$VAR/prometheus/nodes.json.new"
  mv "$VAR/prometheus/nodes.json.new" "$VAR/prometheus/nodes.json"
}

write_prometheus_config() {
  cat >"$VAR/prometheus/prometheus.yml" <<YAML
# Written by ./dev up, anew each time. deploy/prometheus/prometheus.yml is the one for a cluster of
# your own.
global:
  scrape_interval: 1s
  scrape_timeout: 1s
  evaluation_interval: 5s
rule_files: ["$ROOT/deploy/prometheus/alerts.yml"]
scrape_configs:
  - job_name: minichat
    file_sd_configs:
      - files: ["$VAR/prometheus/nodes.json"]
        refresh_interval: 5s
YAML
}

# Sets PROMETHEUS_PORT. The targets are written before.
start_prometheus() {
  choose_port prometheus 7090
  PROMETHEUS_PORT=$PORT
  write_prometheus_config
  start_process prometheus prometheus "--config.file=$VAR/prometheus/prometheus.yml" \
    "--storage.tsdb.path=$VAR/prometheus/data" --storage.tsdb.retention.time=15d \
    --storage.tsdb.retention.size=1GB "--web.listen-address=127.0.0.1:$PROMETHEUS_PORT" --log.level=warn
  await_service prometheus "$PROMETHEUS_PORT" 30 prometheus_answers
}
prometheus_answers() { http GET "$PROMETHEUS_PORT" /-/ready | head -n 1 | grep -q ' 200 '; }
