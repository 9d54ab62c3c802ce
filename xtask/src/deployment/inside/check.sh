#!/bin/bash
# Follows docs/deployment.md in the machine, and checks what comes of it. It goes on after each
# start of the machine with the next stage. Reports go to the second serial line, a line each
# with tabs between its parts; everything else comes to the console.

cd /repository || exit
name=$(cat check/name)
url=https://$name
unit=open_ttt
private=http://127.0.0.1:7879
store=/var/lib/open_ttt/matches.db
# What later stages need.
state=/var/lib/deployment-check
mkdir -p $state
export certificate=/etc/letsencrypt/live/$name
# For curl and Python, instead of an authority that the world knows.
export SSL_CERT_FILE=$certificate/fullchain.pem

### Reports

tell() {
    local IFS=$'\t'
    printf '%s\n' "$*" > /dev/ttyS1
}

step() {
    echo "== $*"
    tell step "$*"
}

# check NAME COMMAND ..: runs a command, which passes with the status 0.
check() {
    local what=$1 seen verdict=passed
    shift
    echo "-- $what: $*"
    if ! seen=$("$@" 2> $state/errors); then
        verdict=failed
        tail -n 12 $state/errors > /dev/ttyS1
    fi
    cat $state/errors
    echo "$seen"
    tell $verdict "$what" "$(tail -n 1 <<< "$seen" | tr -s '\t ' ' ')"
}

python() {
    python3 check/checks.py "$@"
}

# Runs commands of the page, as root in the root of the repository.
follow() {
    bash -ex "check/$1"
}

### What is different here

# The program is built outside.
cargo() {
    echo "not here: cargo $*" >&2
}

# Certificates come from an authority on the Internet. Here the name signs its own.
certbot() {
    echo "not here: certbot $*" >&2
    [ -e "$certificate" ] && return
    mkdir -p "$certificate"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 30 \
        -subj "/CN=$(cat check/name)" -addext "subjectAltName=DNS:$(cat check/name)" \
        -keyout "$certificate/privkey.pem" -out "$certificate/fullchain.pem"
}

export -f cargo certbot

### Checks

same_level() {
    local told seen
    told=$(sed -n 's/.*rates its exposure \([0-9.]*\) of 10.*/\1/p' docs/deployment.md)
    seen=$(systemd-analyze security --no-pager $unit | tail -n 1)
    echo "$seen"
    [[ $seen == *": $told "* ]]
}

# Waits for the server.
ready() {
    local i
    for i in {1..120}; do
        curl -sf $private/ready && return
        sleep 0.5
    done
    systemctl status --no-pager $unit >&2
    return 1
}

is_ready() {
    [ "$(curl -s $private/ready | tee /dev/stderr)" = ready ] && echo ready
}

pid() {
    systemctl show --property MainPID --value $unit
}

# The log without what systemd says about the unit.
log() {
    journalctl --output cat _SYSTEMD_UNIT=$unit.service | python log
}

# As root, but with the files as the server sees them.
as_server() {
    nsenter --target "$(pid)" --mount -- "$@"
}

writes_only_its_folder() {
    local folder refused=0
    for folder in / /boot /etc /home /media /mnt /opt /root /srv /usr /usr/local/bin /var \
        /var/cache /var/lib /var/log /var/spool /repository; do
        if as_server touch $folder/written; then
            echo "it can write to $folder"
            return 1
        fi
        ((++refused))
    done
    # Not for another reason.
    [ "$(grep -c 'Read-only file system' $state/errors)" = $refused ] || return 1
    # Its temporary files are its own.
    as_server touch /var/tmp/written && [ ! -e /var/tmp/written ] || return 1
    as_server touch /var/lib/open_ttt/written && rm /var/lib/open_ttt/written || return 1
    echo "/var/lib/open_ttt and temporary files of its own, nothing else"
}

# Python in the place of the server, with all else of the unit.
in_place_of_server() {
    sed -e 's/^StandardOutput=null/StandardOutput=journal/' \
        -e "s|^ExecStart=.*|Type=oneshot\nExecStart=/usr/bin/python3 /repository/check/checks.py $*|" \
        -e 's/^Restart=.*/Restart=no/' deploy/open_ttt.service > /run/systemd/system/probe.service
    systemctl daemon-reload
    local status=0
    systemctl start probe || status=1
    journalctl --sync
    journalctl --output cat _SYSTEMD_UNIT=probe.service | tail -n 1
    return $status
}

talks_only_to_this_machine() {
    local outside=10.77.0.1 status=0 server
    ip address add $outside/32 dev lo
    python3 -m http.server --bind $outside 8077 &
    server=$!
    sleep 5
    python reach $outside 8077 &&
        in_place_of_server reach 127.0.0.1 7878 &&
        in_place_of_server is_denied $outside 8077 || status=1
    kill $server
    ip address del $outside/32 dev lo
    return $status
}

# certbot itself knows the page's options: it fails only where it looks for an authority.
certbot_knows_options() {
    local options
    options=$(sed -n '/^certbot/,/[^\\]$/p' check/nginx | tr -d '\\\n')
    options="/usr/bin/$options --server https://127.0.0.1:1/ --non-interactive --agree-tos"
    bash -c "$options --register-unsafely-without-email" > $state/certbot 2>&1
    tail -n 8 $state/certbot >&2
    grep -o 'Connection refused' $state/certbot | head -n 1 | grep .
}

answers_authority() {
    mkdir -p /var/www/html/.well-known/acme-challenge
    echo answered > /var/www/html/.well-known/acme-challenge/probe
    curl -sf "http://$name/.well-known/acme-challenge/probe"
}

serves_page() {
    curl -sSf --output $state/page "$url/" && grep -o '<title>.*</title>' $state/page
}

redirects() {
    local to
    to=$(curl -s --output /dev/null --write-out '%{http_code} %{redirect_url}' "http://$name/m/abc")
    echo "$to"
    [ "$to" = "301 $url/m/abc" ]
}

nginx_limits() {
    local worker
    worker=$(pgrep --full 'nginx: worker' | tail -n 1)
    nginx -T 2> /dev/null | grep -o 'worker_connections 45000' &&
        grep -E 'Max open files +100000 ' "/proc/$worker/limits"
}

store_is_private() {
    stat --format '%U:%G %a %n' /var/lib/open_ttt $store | paste -sd ' '
    [ "$(stat --format %U:%a $store)" = open_ttt:600 ] &&
        [ "$(stat --format %U:%a /var/lib/open_ttt)" = open_ttt:700 ]
}

# after COMMAND ..: the command, the server is ready again, and it is another process.
after() {
    local before waited=0
    before=$(pid)
    "$@" || return
    until [ "$(pid)" != "$before" ] && [ "$(pid)" != 0 ]; do
        sleep 0.2
        ((++waited < 300)) || return
    done
    ready > /dev/null && echo "process $before, then $(pid)"
}

# Only what the page names can be reached from elsewhere.
open_ports() {
    local ports
    ports=$(ss --no-header --tcp --listening --numeric | awk '{ print $4 }' |
        grep -v '^127\.\|^\[::1\]\|^\[::ffff:127\.' | sed 's/.*://' | sort -nu | paste -sd ' ')
    ss --no-header --tcp --udp --listening --numeric --processes >&2
    echo "$ports"
    [ "$ports" = "80 443" ]
}

rules_are_tested() {
    promtool check config /etc/prometheus/prometheus.yml >&2 &&
        (cd deploy && promtool test rules alerts_test.yml)
}

notices_end_of_server() {
    local status=0
    systemctl stop $unit
    python value 'ALERTS{alertname="ServerDown"}' || status=1
    systemctl start $unit
    ready > /dev/null
    return $status
}

add_alertmanager() {
    follow alertmanager >&2 &&
        cat check/alertmanager.yml >> /etc/prometheus/prometheus.yml &&
        systemctl restart prometheus &&
        python alertmanager 127.0.0.1:9093
}

is_running() {
    systemctl is-system-running --wait
    local status=$?
    systemctl --failed --plain --no-legend
    return $status
}

store_is_good() {
    open_ttt store check $store && open_ttt store backup --force $store $state/copy.db &&
        open_ttt store check $state/copy.db
}

admin_answers() {
    OPEN_TTT_ADMIN_TOKEN_FILE=/var/lib/open_ttt/admin-token open_ttt admin status > $state/status &&
        head -n 3 $state/status | paste -sd ','
}

container() {
    podman ps --latest --format '{{.ID}}'
}

container_answers() {
    local i
    for i in {1..120}; do
        curl -sf http://127.0.0.1:7878/health && return
        sleep 0.5
    done
    podman ps --all >&2
    podman logs --latest >&2
    return 1
}

container_pid() {
    podman inspect --latest --format '{{.State.Pid}}'
}

kill_container() {
    local before
    before=$(container_pid)
    kill -s KILL "$before" && sleep 2 && container_answers >&2 &&
        [ "$(container_pid)" != "$before" ] && echo "process $before, then $(container_pid)"
}

### The stages

is_back() {
    check "$1: the server is ready" ready
    matches_are_kept "$1"
}

matches_are_kept() {
    check "$1: the finished match" python same $state/finished
    check "$1: the match in progress" python same $state/unfinished
}

# Starts the machine again, for the next stage.
reboot_to() {
    echo "$1" > $state/stage
    systemctl reboot
    sleep infinity
}

the_page() {
    step "following docs/deployment.md, step 1: the program"
    check "step 1" follow program
    step "step 2: the server"
    check "step 2" follow server
    check "systemctl is-active open_ttt" systemctl is-active $unit
    check "/ready" is_ready
    check "exposure as on the page" same_level
    check "writes only to its folder" writes_only_its_folder
    step "step 3: nginx and a certificate, which signs itself here"
    check "step 3" follow nginx
    # Python has come with certbot.
    check "talks only to this machine" talks_only_to_this_machine
    check "certbot knows the options" certbot_knows_options
    check "an authority is answered" answers_authority
    check "http leads to https" redirects
    check "the page over https" serves_page
    check "nginx's limits" nginx_limits
    check "a game over https" python begin $state/finished "$url" ttt 9
    # Nobody wins this one by chance.
    check "a match in progress" python begin $state/unfinished "$url" "mnk(m=15,n=15,k=5)" 3
    check "the store" store_is_private
    check "killed with SIGKILL" after systemctl kill -s KILL $unit
    matches_are_kept "killed"
    check "systemctl restart" after systemctl restart $unit
    matches_are_kept "restarted"
    check "the next moves" python go_on $state/unfinished 2
    check "the log" log
    step "step 4: Prometheus and the alerts"
    check "step 4" follow prometheus
    check "open_ttt_sockets" python value open_ttt_sockets
    check "the alerts are loaded" python rules deploy/alerts.yml
    check "promtool tests the alerts" rules_are_tested
    check "step 5: the dashboard's expressions" python dashboard deploy/grafana.json
    check "an alert without the server" notices_end_of_server
    check "open ports" open_ports
    check "Alertmanager" add_alertmanager
    check "open ports with Alertmanager" open_ports
    check "open_ttt store check, backup" store_is_good
    check "open_ttt admin status" admin_answers
    step "rebooting the machine"
    reboot_to rebooted
}

rebooted() {
    step "after the reboot"
    check "rebooted: the system runs" is_running
    is_back "rebooted"
    check "rebooted: the page over https" serves_page
    check "rebooted: Prometheus watches" python value 'up{job="open_ttt"} == 1'
    step "cutting the power right after a move"
    echo cut > $state/stage
    sync
    check "the last move" python go_on $state/unfinished 1
    # Nothing but what the check has noted: the server has to care for the rest.
    sync $state/unfinished
    echo b > /proc/sysrq-trigger
}

cut() {
    step "after the power cut"
    is_back "power cut"
    check "power cut: open_ttt store check, backup" store_is_good
    step "HAProxy instead of nginx"
    systemctl disable --now nginx
    check "HAProxy" follow haproxy
    check "HAProxy: http leads to https" redirects
    check "HAProxy: the page over https" serves_page
    check "HAProxy: a game over https" python begin $state/haproxy "$url" ttt 9
    if [ -e target/x86_64-unknown-linux-gnu ]; then
        in_container
    fi
    step "that was all"
    tell end
    systemctl poweroff
}

in_container() {
    step "the server in a container"
    systemctl disable --now $unit
    apt-get install podman
    check "container: built and run by podman" follow container
    check "container: it answers" container_answers
    check "container: a game" python begin $state/container http://127.0.0.1:7878 ttt 9
    check "container: podman restart" podman restart "$(container)"
    check "container: restarted, it answers" container_answers
    check "container: restarted, the match" python same $state/container
    check "container: killed with SIGKILL" kill_container
    check "container: killed, the match" python same $state/container
    step "rebooting the machine with the container"
    reboot_to container_rebooted
}

container_rebooted() {
    step "after the reboot"
    check "container: rebooted, it answers" container_answers
    check "container: rebooted, the match" python same $state/container
    step "that was all"
    tell end
    systemctl poweroff
}

stage=$(cat $state/stage || echo the_page)
systemctl is-system-running --wait
$stage
